import { VERSION } from '../platform/version.ts';

const OVERVIEW = `baton ${VERSION}: hand work from one coding agent to another

Usage: baton COMMAND [ARGUMENTS]

  serve             serve MCP over stdin and stdout, for a client such as Claude Code
  run "PROMPT"      start a run, show its steps, print its answer
  continue ID "…"   the same, on an earlier conversation
  jobs              list, show, watch, cancel and remove jobs
  wait-job ID       wait for a job, print its last state
  hook-wait         the same for a client's hook (reads its payload on stdin)
  supervisor        status or stop of the process that watches over the jobs
  install CLIENT    add this server to an MCP client's settings
  setup PROVIDER    keep the key of a model provider for desktop clients
  doctor            say what is installed, what is configured, what is missing
  demo              see it work: a scripted model, real tools, a sample repository

Examples:
  baton demo
  baton run "Review the last commit for bugs" --mode plan
  baton run "Add tests for src/parser.ts" --backend baton --model openai/gpt-5
  baton jobs watch
  baton install claude-code --write

baton COMMAND --help tells more. Documentation: README.md and docs/.
`;

const RUN_FLAGS = `  --model ID          model (default: the configured one)
  --backend NAME      agy or baton (default: BATON_BACKEND, else agy)
  --effort LEVEL      low, medium or high
  --mode MODE         accept-edits, or plan to only read and propose
  --agent NAME        one of the agent program's own agents
  --sandbox           restrict terminal commands
  --max-turns N       cap: calls of the model (backend baton)
  --max-tokens N      cap: tokens in total
  --max-cost USD      cap: cost in US dollars
  --dir FOLDER        a further folder to work in (may be repeated)
  --cwd FOLDER        folder to run in (default: the current one)
  --timeout DURATION  hard limit, such as 20m (default 30m)
  --json-schema S     schema that the answer must follow, inline or a file
  --request-id KEY    the same key finds the same job again
  --queue             wait also for a conversation that is in use
  --no-queue          be refused instead of waiting for a free place
  --detach            print the job id and leave
  --json              print the job's status as JSON instead of the answer

The answer goes to stdout, everything else to stderr. Ctrl-C cancels the run; a second one leaves at once.
Exit code: 0 done, 1 failed, 130 cancelled, 2 wrong command line.
`;

const TOPICS: Readonly<Record<string, string>> = {
  serve: `Usage: baton serve [--tools SETS]
       baton serve --http[=ADDRESS] [--http-token-file FILE | --http-token TOKEN] [--tools SETS]

Serves MCP over stdin and stdout and ends when its client does. Jobs that it started go on.

  --tools SETS            jobs (agy_* and list_*), relay (gemini-*), or jobs,relay (default)
  --http=ADDRESS          serve over HTTP instead, for many clients (default 127.0.0.1:8765; loopback only)
  --http-token-file FILE  ask every client for the bearer token in this file
  --http-token TOKEN      the same, seen by everybody in the process list; AGY_MCP_HTTP_TOKEN is not

Examples:
  claude mcp add baton -- baton serve
  BATON_BACKEND=baton BATON_MODEL=openai/gpt-5 baton serve
  baton serve --http                      then, elsewhere:
  claude mcp add --transport http baton http://127.0.0.1:8765/mcp
`,
  run: `Usage: baton run "PROMPT" [FLAGS]        (PROMPT - reads it from stdin)

${RUN_FLAGS}
Examples:
  baton run "Where is the cache invalidated?" --mode plan
  git diff | baton run - --timeout 10m
`,
  continue: `Usage: baton continue CONVERSATION_ID "PROMPT" [FLAGS]
       baton continue --latest "PROMPT" [FLAGS]

  --latest            continue the newest conversation of the folder
${RUN_FLAGS}
Example:
  baton continue 3f2c… "Now fix it"
`,
  supervisor: `Usage: baton supervisor [status|stop] [--json]

One supervisor per state folder starts, limits and ends the runs. It comes when it is needed and leaves when it is idle.
stop asks it to leave: runs go on, and the next one adopts them.

Example:
  baton supervisor status --json
`,
  jobs: `Usage: baton jobs [list] [--state S] [--cwd FOLDER] [--contains TEXT] [--limit N] [--json]
       baton jobs show ID [--json]
       baton jobs watch [ID] [--json]     live steps and text (default: the newest job)
       baton jobs cancel ID [--json]
       baton jobs rm ID… [--json]         remove ended jobs with their output
       baton jobs gc [--older-than DURATION] [--json]

  --state S    queued, running, done, failed, cancelled, or live

Examples:
  baton jobs list --state live
  baton jobs watch
  baton jobs gc --older-than 24h
`,
  'wait-job': `Usage: baton wait-job [-timeout 1h] JOB_ID

Blocks until the job is over and prints its last state: done, failed or cancelled.
Exit code: 0 over, 1 error, 2 usage, 3 time over, 130 interrupted.

Example:
  baton wait-job -timeout 20m mb1x2c3d4-… && echo over
`,
  'hook-wait': `Usage: baton hook-wait [-timeout 1h]

For a PostToolUse hook with asyncRewake (Claude Code): reads the hook's payload on stdin, waits for the job that it
names, then ends with exit code 2 and one line on stderr, which wakes the model. Silent (exit code 0) when there is
nothing to say.

Example (settings.json):
  "hooks": {"PostToolUse": [{"matcher": "mcp__baton__agy_run(_sync)?", "hooks": [
    {"type": "command", "command": "baton hook-wait", "asyncRewake": true, "timeout": 3700}]}]}
`,
  install: `Usage: baton install                       how each client stands
       baton install CLIENT [FLAGS]        what would be added
       baton install CLIENT --write        merge it in
       baton install CLIENT --uninstall    take it out

Clients: claude-code, claude-desktop, cursor, codex, gemini, vscode, cline, windsurf, opencode, zed

  --name NAME         register the server under another name (default: baton)
  --env NAME[=VALUE]  give the server a variable (may be repeated; NAME alone takes this shell's value)
  --file PATH         another settings file than the client's usual one
  --no-hook           leave out Claude Code's hook that wakes the model when a job ends
  --replace           take the place of an entry of that name that starts something else
  --print             print only the text of the entry
  --json              print what was written as JSON

Comments and everything else in the file stay, a copy is kept beside it, and running it again changes nothing. The entry
carries the settings that this shell has (state folder, backend, model, rights); keys of providers never (baton setup).

Examples:
  baton install claude-code --write
  BATON_BACKEND=baton BATON_MODEL=ollama/qwen3 baton install zed --write
`,
  setup: `Usage: baton setup                         what is kept
       baton setup PROVIDER [FLAGS]         keep a key (asked for, or on stdin; never an argument)
       baton setup PROVIDER --remove        forget it

Providers: openai, google, anthropic, openrouter, groq, mistral, deepseek, xai

  --model ID          the model to use when none is named, as PROVIDER/NAME
  --test, --no-test   send one small request with it, or do not (default: ask)

For clients that start without a shell's environment. The key goes into keys.json in the settings folder, readable by
you alone; baton-agent looks there for what its environment does not set. Runs cannot read the file.

Examples:
  baton setup google
  pass show openai | baton setup openai --model openai/gpt-5 --test
`,
  doctor: `Usage: baton doctor [--json]

Says what Baton finds on this machine: agents, models, state folder, supervisor, settings. Changes nothing, sends
nothing, shows no secret. Exit code: 0 something can run jobs, 1 nothing can.
`,
  demo: `Usage: baton demo [--live ["QUESTION"]]

Starts the server as a client would, has a scripted model answer a question about a sample repository with the real
tools, and shows all of it. Costs nothing and sends nothing out.

  --live "QUESTION"   ask your own model about the current folder instead

Examples:
  baton demo
  BATON_MODEL=ollama/qwen3 baton demo --live "What does this project do?"
`,
};

/** The help of a command, or the overview. */
export function helpFor(topic?: string): string {
  return (topic !== undefined && Object.hasOwn(TOPICS, topic) && TOPICS[topic]) || OVERVIEW;
}

export const AGY_MCP_HELP = `agy-mcp ${VERSION}: MCP server that runs agy as jobs (the same server as "baton serve")

Usage:
  agy-mcp                                     serve MCP over stdin and stdout
  agy-mcp -http ADDRESS [-http-token TOKEN]   serve MCP over HTTP on a loopback address
  agy-mcp wait-job [-timeout 1h] <job_id>     wait for a job, print its last state
  agy-mcp hook-wait [-timeout 1h]             the same for a client's hook (payload on stdin)

Example:
  claude mcp add agy -- agy-mcp

State folder: AGY_MCP_STATE_DIR, else $XDG_STATE_HOME/agy-mcp. More: baton --help
`;
