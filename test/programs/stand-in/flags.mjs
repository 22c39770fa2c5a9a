// The command line of the stand-in: flags in Go's style, as agy reads them, and the help text that names them.

const KINDS = {
  print: 'text',
  'prompt-interactive': 'text',
  continue: 'switch',
  conversation: 'text',
  'add-dir': 'list',
  'dangerously-skip-permissions': 'switch',
  sandbox: 'switch',
  'log-file': 'text',
  'print-timeout': 'text',
  model: 'text',
  mode: 'text',
  agent: 'text',
  effort: 'text',
  'output-format': 'text',
  'json-schema': 'text',
  'disable-slash-commands': 'switch',
  'input-format': 'text',
};
const ALIASES = { p: 'print', prompt: 'print', i: 'prompt-interactive', c: 'continue' };
const TEXTS = {
  print: 'Run a single prompt non-interactively and print the response',
  'prompt-interactive': 'Run an initial prompt interactively and continue the session',
  continue: 'Continue the most recent conversation',
  conversation: 'Resume a previous conversation by id',
  'add-dir': 'Add a directory to the workspace (repeatable) (default [])',
  'dangerously-skip-permissions': 'Auto-approve all tool permission requests without prompting',
  sandbox: 'Run with terminal restrictions',
  'log-file': 'Override the log file path',
  'print-timeout': 'Timeout for print mode wait (default 5m0s)',
  model: 'Model for this session',
  mode: 'Execution mode: accept-edits or plan',
  agent: 'Agent for this session',
  effort: 'Reasoning effort: low, medium or high',
  'output-format': 'Print mode output: text, json or stream-json (default text)',
  'json-schema': 'Constrain the answer to a JSON schema',
  'disable-slash-commands': 'Do not expand slash commands in prompts',
  'input-format': 'Print mode input: text or stream-json (default text)',
};
const SINCE = {
  agent: '1.1.1',
  mode: '1.1.0',
  effort: '1.1.5',
  'output-format': '1.1.8',
  'json-schema': '1.1.8',
  'disable-slash-commands': '1.1.9',
  'input-format': '1.1.15',
};

export function atLeast(version, floor) {
  const [a, b] = [version, floor].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] > b[i];
  return true;
}

/** The flags of this build: those of its version, without the ones that STANDIN_WITHOUT names. */
export function offered(version, without) {
  return Object.keys(KINDS).filter(
    (name) => atLeast(version, SINCE[name] ?? '1.0.0') && !without.includes(name),
  );
}

export function helpText(flags) {
  const lines = flags.map((name) => {
    const shorts = Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name);
    const names = [...shorts.filter((s) => s.length === 1).map((s) => `-${s}`), `--${name}`];
    return `  ${names.join(', ').padEnd(34)}${TEXTS[name]}`;
  });
  const commands = ['agents', 'changelog', 'help', 'models', 'update'].map((name) => `  ${name}`);
  return `Usage of agy:\n${lines.join('\n')}\n\nAvailable subcommands:\n${commands.join('\n')}\n`;
}

/**
 * Parses the line; a flag that this build lacks is unknown to it.
 * @returns {{values: Record<string, string | boolean | string[]>, rest: string[]} | {problem: string}}
 */
export function parseFlags(args, flags) {
  const values = {};
  const rest = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === '--' || !arg.startsWith('-') || arg === '-') {
      rest.push(...args.slice(arg === '--' ? at + 1 : at));
      break;
    }
    const body = arg.replace(/^--?/, '');
    const equals = body.indexOf('=');
    let given = equals === -1 ? body : body.slice(0, equals);
    let value = equals === -1 ? undefined : body.slice(equals + 1);
    if (!(given in KINDS) && !(given in ALIASES) && /^p./.test(given) && !arg.startsWith('--')) {
      value = body.slice(1);
      given = 'p';
    }
    const name = ALIASES[given] ?? given;
    if (!flags.includes(name)) return { problem: `flags provided but not defined: -${given}` };
    if (KINDS[name] === 'switch') {
      if (value !== undefined && value !== 'true' && value !== 'false') {
        return {
          problem: `invalid boolean value ${JSON.stringify(value)} for -${given}: strconv.ParseBool: parsing`,
        };
      }
      values[name] = value !== 'false';
      continue;
    }
    if (value === undefined) {
      if (at + 1 >= args.length) return { problem: `flag needs an argument: -${given}` };
      value = args[++at];
    }
    if (KINDS[name] === 'list') (values[name] ??= []).push(value);
    else values[name] = value;
  }
  return { values, rest };
}

/** A Go duration in milliseconds; undefined when it is none. */
export function durationMs(text) {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  const units = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  let sum = 0;
  for (const [, number, , unit] of text.matchAll(/(\d+(\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    sum += Number(number) * units[unit];
  return sum;
}
