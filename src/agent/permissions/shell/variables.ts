/** Variables that change no more than how a program words, colours or paces its output. */
const HARMLESS =
  /^(CI|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|DEBUG|VERBOSE|NODE_ENV|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_TERMINAL_PROMPT|DEBIAN_FRONTEND)$/;

/** Variables that decide which programs run or what they load. */
const RISKY =
  /^(PATH|CDPATH|IFS|ENV|HOME|SHELL|EDITOR|VISUAL|.*PAGER|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_.*|GLOBIGNORE|LD_.*|DYLD_.*|GIT_.*|SSH_.*|NODE_.*|NPM_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|_JAVA.*|JDK_.*|MAKE.*|CC|CXX|CFLAGS|CARGO_.*|RUSTC.*|GO[A-Z]+|XDG_.*|TMPDIR|.*_proxy|.*_PROXY|BATON_.*|ANTIGRAVITY_.*)$/;

/** Whether an assignment before a command (`CI=1 npm test`) leaves what the command does as it is. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/** Whether a variable of the shell, which later commands see if it was exported before, may change what they do. */
export function isRiskyVariable(name: string): boolean {
  return RISKY.test(name) && !HARMLESS.test(name);
}
