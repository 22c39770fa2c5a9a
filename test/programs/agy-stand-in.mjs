#!/usr/bin/env node
/**
 * A stand-in for agy: a real executable that keeps the headless contract (flags, help, models, print mode in three
 * output formats, stream-json input, conversations on disk under $HOME, /usage), answers at once without any model, and
 * misbehaves on request.
 *
 * It never lives longer than five minutes.
 *
 * Without a directive a run answers `You said: <prompt>` and remembers the conversation.
 *
 * DIRECTIVES come as JSON, one object or a list of them: in the prompt, on a line `DO [...]`, or for every run in
 * STANDIN_DO. They are run in order, before the `result`:
 *   {"text":"…"}               answer text; "pieces":3 streams it in that many deltas, "byteByByte":true writes the line
 *                              byte by byte, "open":true leaves the step ACTIVE
 *   {"sleep":50}               milliseconds        {"waitFor":"/f"} until the file exists   {"touch":"/f"} makes a file
 *   {"tool":"run_command"}     a tool step; "parameters", "output", "error", "ms" between its start and end
 *   {"write":{"file","content"}} a file, when the permissions of the run allow it, else a denial
 *   {"image":"hero.png"}       a small PNG (JPEG for .jpg) in the conversation's folder, whose path is in the answer when
 *                              "named" is true
 *   {"read":"/f"} {"env":["A"]} {"about":1}   answers with a file, with variables, or with argv, cwd, prompt, pid, …
 *   {"deny":"command"}         a refused tool: stderr notice and `denied_actions`
 *   {"step":{…}} {"subagent":{…}}             any step_update
 *   {"long":1000000}           one line with that much output      {"flood":1000} that many small steps
 *   {"raw":"junk\n"} {"rawByteByByte":"…"} {"stderr":"…\n"}       anything on stdout or stderr
 *   {"grandchild":{…}}         starts a process: "ms" 60000, "ownSession" false, "keepOutput" true, "ignoreTerm" false,
 *                              "pidFile"
 *   {"on":{"SIGTERM":"ignore"}} what a signal does: "ignore", "exit0", "result" (SUCCESS, exit 0), "die" (the default
 *                              of the system), "report" (agy's own: ERROR interrupted, exit 1)
 *   {"conversation":"id"}      goes on under another id
 *   {"quota":1} {"apiError":{"message","status","code"}}          ERROR, AGY_ERROR line, exit 3
 *   {"timeoutNotice":"8s"} {"backgroundAbort":2}                  agy's own lines on stderr
 *   {"result":{…}} {"result":false}           fields over those of the result; no result at all
 *   {"structured":{…}} {"structured":null}    the structured output; none in spite of a schema
 *   {"emitResult":{…}}         a result now, and another one at the end unless {"result":false} follows
 *   {"exitCode":7} {"exit":7} {"die":"SIGKILL"} {"hang":1}        the code at the end; the end at this point; never
 *
 * VARIABLES
 *   STANDIN_VERSION (1.2.16), STANDIN_VERSION_OUTPUT, STANDIN_VERSION_EXIT, STANDIN_VERSION_HANG
 *   STANDIN_WITHOUT  flags that this build lacks, with commas: unknown to it, and not in its help
 *   STANDIN_HELP     full, stderr, empty, garbage, fail, hang
 *   STANDIN_MODELS   ok, signed-out, hang, or the text to print
 *   STANDIN_USAGE    ok, signed-out, exhausted, garbage, hang
 *   STANDIN_START    signed-out, silent (ends with 0 and nothing), tty-only (the same, unless stdout is a terminal),
 *                    slow=<ms> (before init), no-init
 *   STANDIN_LOG      a file that gets one JSON line for each start (argv, cwd, pid) and one for each prompt
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, fstatSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { createInterface } from 'node:readline';
import { answerCommand, listModels, modelProblem } from './stand-in/commands.mjs';
import { atLeast, durationMs, helpText, offered, parseFlags } from './stand-in/flags.mjs';
import { err, line, noUsage, out } from './stand-in/output.mjs';
import { runSteps, sleep } from './stand-in/steps.mjs';
import { latestOf, load, save, transcribe } from './stand-in/store.mjs';

const env = process.env;
const args = process.argv.slice(2);
const version = env.STANDIN_VERSION ?? '1.2.16';
const flags = offered(version, (env.STANDIN_WITHOUT ?? '').split(',').filter(Boolean));
const started = Date.now();
// A run that its test lost sight of ends by itself.
setTimeout(() => process.exit(98), 300_000).unref();

function log(entry) {
  if (env.STANDIN_LOG) appendFileSync(env.STANDIN_LOG, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
}

async function tellVersion() {
  if (env.STANDIN_VERSION_HANG) await sleep(3_600_000);
  out(env.STANDIN_VERSION_OUTPUT ?? `${version}\n`);
  process.exit(Number(env.STANDIN_VERSION_EXIT ?? 0));
}

async function tellHelp() {
  const how = env.STANDIN_HELP ?? 'full';
  if (how === 'hang') await sleep(3_600_000);
  if (how === 'fail') {
    err('panic: no help today\n');
    process.exit(2);
  }
  if (how === 'full') out(helpText(flags));
  if (how === 'stderr') err(helpText(flags));
  if (how === 'garbage') out('%PNG\u0000 nothing to see here\n');
  process.exit(0);
}

function usageError(problem) {
  err(`${problem}\n`);
  process.exit(2);
}

/** Ends a run that never began, in the chosen output format. */
function fail(values, message, code = 1) {
  const envelope = {
    conversation_id: '',
    status: 'ERROR',
    response: '',
    error: message,
    duration_seconds: 0,
    num_turns: 0,
    usage: noUsage(),
  };
  if (values['output-format'] === 'json') line(envelope);
  if (values['output-format'] === 'stream-json') line({ event: 'result', result: envelope });
  err(`error: ${message}\n`);
  process.exit(code);
}

function readSchema(values) {
  const given = values['json-schema'];
  if (given === undefined) return undefined;
  if (!values['output-format'] || values['output-format'] === 'text') {
    fail(values, '--json-schema requires --output-format json or stream-json');
  }
  const text = given.trim().startsWith('{')
    ? given
    : existsSync(given)
      ? readFileSync(given, 'utf8')
      : undefined;
  if (text === undefined)
    fail(values, `invalid --json-schema: ${JSON.stringify(given)} is neither a schema nor a file`);
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(values, `invalid --json-schema: ${error.message}`);
  }
}

function directivesOf(prompt) {
  const inPrompt = /^DO (\[.*\]|\{.*\})\s*$/m.exec(prompt)?.[1];
  const text = inPrompt ?? env.STANDIN_DO;
  if (text === undefined) return undefined;
  const steps = JSON.parse(text);
  return Array.isArray(steps) ? steps : [steps];
}

/** The session of this process: one conversation, any number of turns. */
function openSession(values) {
  const format = values['output-format'] ?? 'text';
  const schema = readSchema(values);
  const problem = modelProblem(values.model, values.effort);
  if (problem) fail(values, problem);
  if (values.mode !== undefined && !['accept-edits', 'plan'].includes(values.mode)) {
    err(`warning: unrecognized --mode value ${JSON.stringify(values.mode)} (valid: accept-edits, plan)\n`);
  }
  const isPlan = values.mode === 'plan' && !values['disable-slash-commands'];
  if (values.mode === 'plan' && !isPlan) {
    err('warning: --mode plan has no effect while slash command expansion is disabled.\n');
  }
  const wanted = values.conversation ?? (values.continue ? latestOf(process.cwd()) : undefined);
  let conversation = wanted === undefined ? undefined : load(wanted);
  if (values.conversation !== undefined && !conversation) {
    err(`warning: conversation ${JSON.stringify(values.conversation)} not found\n`);
  }
  conversation ??= { id: randomUUID(), turns: 0, step: 0, usage: noUsage(), prompts: [], denied: [] };
  const timeoutMs = durationMs(values['print-timeout'] ?? '0');
  if (timeoutMs === undefined) {
    usageError(
      `invalid value ${JSON.stringify(values['print-timeout'])} for flag -print-timeout: time: invalid duration`,
    );
  }
  return { values, format, schema, conversation, timeoutMs, isPlan };
}

function emitInit({ values, format, schema, conversation, isPlan }) {
  if (format !== 'stream-json' || env.STANDIN_START === 'no-init') return;
  const init = {
    cwd: process.cwd(),
    tools: ['view_file', 'write_to_file', 'run_command'],
    permission_mode: values['dangerously-skip-permissions'] ? 'always-proceed' : 'request-review',
  };
  if (values.model) init.model = values.model;
  if (values.agent) init.agent = values.agent;
  if (schema) init.json_schema = schema;
  if (isPlan) init.expanded_commands = [{ name: 'plan', type: 'system' }];
  line({ event: 'init', conversation_id: conversation.id, init });
}

function newTurn(session, prompt) {
  const { conversation, values, format, schema } = session;
  const turn = {
    id: conversation.id,
    format,
    response: '',
    result: {},
    structured: undefined,
    denied: conversation.denied,
    exitCode: 0,
    noResult: false,
    children: [],
    onSignal: {},
    mayWrite: !session.isPlan && (values['dangerously-skip-permissions'] || values.mode === 'accept-edits'),
    nextStep: () => conversation.step++,
    addUsage(usage) {
      for (const key of Object.keys(usage)) conversation.usage[key] += usage[key];
    },
    about: () => ({
      argv: args,
      cwd: process.cwd(),
      pid: process.pid,
      prompt,
      conversation_id: conversation.id,
      earlier_prompts: conversation.prompts.slice(0, -1),
    }),
    envelope(over = {}) {
      const envelope = {
        conversation_id: turn.id,
        status: 'SUCCESS',
        response: turn.response,
        duration_seconds: (Date.now() - started) / 1000,
        num_turns: conversation.turns,
        usage: conversation.usage,
      };
      if (schema) {
        envelope.json_schema = schema;
        const structured = turn.structured === undefined ? { answer: turn.response } : turn.structured;
        if (structured !== null) envelope.structured_output = structured;
      }
      if (turn.denied.length > 0) envelope.denied_actions = turn.denied;
      return { ...envelope, ...turn.result, ...over };
    },
    emitResult(over) {
      const envelope = turn.envelope(over);
      if (format === 'stream-json') line({ event: 'result', result: envelope });
      else if (format === 'json') line(envelope);
      else if (envelope.response !== '')
        out(envelope.response.endsWith('\n') ? envelope.response : `${envelope.response}\n`);
      if (format !== 'stream-json' && envelope.error) err(`error: ${envelope.error}\n`);
    },
  };
  return turn;
}

/** agy's way with a signal in a turn, or the one that the run asked for. */
function armSignals(turn) {
  const react = (signal) => {
    const how = turn.onSignal[signal] ?? 'report';
    if (how === 'ignore') return;
    if (how === 'exit0') process.exit(0);
    if (how === 'die') {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      return;
    }
    if (how === 'result') {
      turn.emitResult({});
      process.exit(0);
    }
    turn.emitResult({ status: 'ERROR', error: 'interrupted' });
    process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.removeAllListeners(signal);
    process.on(signal, () => react(signal));
  }
}

/** agy's way with its own time limit: a failure up to 1.1.27, a partial answer called a success from then on. */
function armTimeout(session, turn) {
  if (session.timeoutMs <= 0) return undefined;
  return setTimeout(() => {
    if (!atLeast(version, '1.1.28')) {
      turn.emitResult({ status: 'ERROR', error: 'timeout waiting for response' });
      process.exit(1);
    }
    err(
      `[agy] print timeout after ${session.values['print-timeout']} with turn in progress; returning partial output\n`,
    );
    turn.emitResult({});
    process.exit(0);
  }, session.timeoutMs);
}

async function runTurn(session, prompt) {
  const { conversation } = session;
  log({ prompt });
  conversation.prompts.push(prompt);
  const turn = newTurn(session, prompt);
  armSignals(turn);
  const timer = armTimeout(session, turn);
  conversation.turns++;
  save(conversation, process.cwd());
  transcribe(conversation, 'USER_EXPLICIT', 'USER_INPUT', `<USER_REQUEST>\n${prompt}\n</USER_REQUEST>`);
  if (session.format === 'stream-json') {
    line({
      event: 'step_update',
      step_update: {
        conversation_id: turn.id,
        step_index: turn.nextStep(),
        state: 'DONE',
        step_type: 'user_input',
      },
    });
  }
  await runSteps(turn, directivesOf(prompt) ?? [{ text: `You said: ${prompt}` }]);
  clearTimeout(timer);
  save(conversation, process.cwd());
  transcribe(conversation, 'MODEL', 'PLANNER_RESPONSE', turn.response);
  if (!turn.noResult) turn.emitResult({});
  return turn.exitCode;
}

/** The text of one line of stream-json input; what is wrong with it ends the session as the contract says. */
function readMessage(session, text) {
  const reject = (message, code = 1) => {
    line({
      event: 'result',
      result: { ...newTurn(session, '').envelope(), status: 'ERROR', response: '', error: message },
    });
    err(`error: ${message}\n`);
    process.exit(code);
  };
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return reject(
      `failed to decode stream input: invalid character ${JSON.stringify(text.trim()[0])} looking for beginning of value`,
    );
  }
  if (message.event === undefined) return reject('stream input message is missing the "event" field');
  if (message.event !== 'user') {
    err(`warning: ignoring unsupported stream input message event ${JSON.stringify(message.event)}\n`);
    return undefined;
  }
  if (message.message === undefined)
    return reject('stream input "user" message is missing the "message" field');
  const { content } = message.message;
  if (!content || content.length === 0) return reject('stream input "user" message has no content');
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const odd = blocks.find((block) => block.type !== 'text');
  if (odd)
    return reject(
      `stream input content block type ${JSON.stringify(odd.type)} is not supported (only "text")`,
    );
  const prompt = blocks.map((block) => block.text).join('');
  if (!session.values['disable-slash-commands'] && answerCommand(prompt)) {
    const name = prompt.trim().split(/\s/)[0];
    return reject(
      `${name} is answered by the CLI itself and is unavailable with --input-format stream-json; run it as its own --print ${name} invocation`,
      2,
    );
  }
  return prompt;
}

async function runStream(session) {
  emitInit(session);
  let code = 0;
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (text.trim() === '') continue;
    const prompt = readMessage(session, text);
    if (prompt !== undefined) code = await runTurn(session, prompt);
  }
  process.exit(code);
}

async function answerOnce(session, prompt) {
  const answer = session.values['disable-slash-commands'] ? undefined : answerCommand(prompt);
  if (!answer) return;
  if (answer.hang) await sleep(3_600_000);
  if (answer.raw) {
    out(answer.raw);
    process.exit(0);
  }
  const { code = 0, text, command, error } = answer;
  const envelope = {
    conversation_id: '',
    status: error ? 'ERROR' : 'SUCCESS',
    response: text,
    duration_seconds: 0.1,
    num_turns: 0,
    usage: noUsage(),
  };
  if (error) envelope.error = error;
  if (command) envelope.command = command;
  if (session.format === 'json') line(envelope);
  else if (session.format === 'stream-json') {
    if (command) line({ event: 'command_result', command });
    line({ event: 'result', result: envelope });
  } else out(`${text}\n`);
  if (error) err(`error: ${error}\n`);
  process.exit(code);
}

async function print(values) {
  const how = env.STANDIN_START ?? '';
  if (how === 'silent' || (how === 'tty-only' && !process.stdout.isTTY)) process.exit(0);
  if (how === 'signed-out') {
    err("Error: authentication required. Run 'agy' to log in, then retry.\n");
    fail(values, 'authentication failed or timed out');
  }
  const session = openSession(values);
  if (how.startsWith('slow=')) await sleep(Number(how.slice(5)));
  if (values['input-format'] === 'stream-json') return runStream(session);
  const prompt = values.print ?? readFileSync(0, 'utf8');
  if (prompt === '') fail(values, 'empty prompt');
  await answerOnce(session, prompt);
  emitInit(session);
  process.exit(await runTurn(session, prompt));
}

async function main() {
  log({ argv: args, cwd: process.cwd(), stdin: fstatSync(0).isFile() ? 'file' : 'other' });
  if (args.some((arg) => /^--?version$/.test(arg))) return tellVersion();
  if (args.some((arg) => /^(--?help|-h)$/.test(arg))) return tellHelp();
  const parsed = parseFlags(args, flags);
  if (parsed.problem) usageError(parsed.problem);
  const { values, rest } = parsed;
  if (rest[0] === 'models') return listModels(values['output-format'] ?? 'text');
  if (rest[0] === 'agents') process.exit(0);
  if (rest.length > 0) usageError(`unexpected argument ${JSON.stringify(rest[0])}`);
  if (values['input-format'] === 'stream-json' && values['output-format'] !== 'stream-json') {
    usageError('--input-format stream-json requires --output-format stream-json');
  }
  const relative = (values['add-dir'] ?? []).find((dir) => !isAbsolute(dir));
  if (relative !== undefined) err(`warning: --add-dir ${JSON.stringify(relative)} is relative\n`);
  return print(values);
}

await main();
