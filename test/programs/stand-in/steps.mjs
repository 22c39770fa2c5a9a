// What a run of the stand-in does between `init` and `result`: one function for each directive of agy-stand-in.mjs.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { err, line, out, outByteByByte } from './output.mjs';
import { keepArtifact } from './store.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const forever = () => new Promise(() => setInterval(() => {}, 60_000));

function usage(input, output) {
  return {
    input_tokens: input,
    output_tokens: output,
    thinking_tokens: 0,
    cache_read_tokens: 0,
    total_tokens: input + output,
  };
}

function emit(turn, update, write = out) {
  if (turn.format !== 'stream-json') return;
  write(
    `${JSON.stringify({ event: 'step_update', step_update: { conversation_id: turn.id, ...update } })}\n`,
  );
}

function say(turn, step) {
  const text = String(step.text);
  const write = step.byteByByte ? outByteByByte : out;
  const pieces = step.pieces ?? 1;
  const size = Math.ceil(text.length / pieces) || 1;
  const index = turn.nextStep();
  for (let at = 0, n = 1; n <= pieces; n++, at += size) {
    const last = n === pieces;
    const update = {
      step_index: index,
      state: last && !step.open ? 'DONE' : 'ACTIVE',
      step_type: 'agent_response',
    };
    update.text_delta = last ? text.slice(at) : text.slice(at, at + size);
    if (update.state === 'DONE') {
      update.duration_seconds = 0.1;
      update.usage = usage(100, text.length);
      turn.addUsage(update.usage);
    }
    emit(turn, update, write);
  }
  turn.response += text;
}

async function useTool(turn, step) {
  const name = step.tool;
  const index = turn.nextStep();
  const info = { name, parameters: step.parameters ?? {} };
  const base = { step_index: index, step_type: 'tool', tool_name: name };
  emit(turn, { ...base, state: 'ACTIVE', tool_info: info });
  if (step.ms) await sleep(step.ms);
  if (step.error !== undefined) {
    const error = { type: 'TOOL_ERROR', message: step.error };
    emit(turn, { ...base, state: 'ERROR', tool_info: { ...info, error }, duration_seconds: 0.1 });
    return;
  }
  emit(turn, {
    ...base,
    state: 'DONE',
    tool_info: { ...info, output: step.output ?? '' },
    duration_seconds: 0.1,
  });
}

const DISPLAY = {
  command: 'RunCommand',
  write_file: 'WriteToFile',
  read_url: 'ReadUrlContent',
  mcp: 'CallMcpTool',
};

function deny(turn, action) {
  const entry = { action, display_name: DISPLAY[action] ?? action };
  if (!turn.denied.some((known) => known.action === action)) turn.denied.push(entry);
  emit(turn, {
    step_index: turn.nextStep(),
    state: 'DONE',
    step_type: 'tool',
    tool_name: action,
    tool_info: { name: action },
  });
  err(
    `jetski: no output produced — a tool required the "${action}" permission that headless mode cannot prompt for, so it was auto-denied. Add an allow-rule under permissions.allow in settings.json (e.g. ${action}(<target>)). Alternatively, re-run with --dangerously-skip-permissions to auto-approve all tools.\n`,
  );
}

async function write(turn, { file, content = '' }) {
  if (!turn.mayWrite) {
    deny(turn, 'write_file');
    return;
  }
  writeFileSync(isAbsolute(file) ? file : join(process.cwd(), file), content);
  await useTool(turn, { tool: 'write_to_file', parameters: { TargetFile: file } });
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////2Q==';

async function makeImage(turn, { image, named }) {
  const bytes = Buffer.from(/\.jpe?g$/.test(image) ? JPEG : PNG, 'base64');
  await useTool(turn, { tool: 'generate_image', parameters: { ImageName: image } });
  const path = keepArtifact(turn.id, image, bytes);
  if (named) say(turn, { text: `![made](file://${path})` });
}

/** A process that outlives this one: by default in this one's group and with its stdout and stderr open. */
function startGrandchild(turn, options) {
  const { ms = 60_000, ownSession = false, keepOutput = true, ignoreTerm = false, pidFile } = options;
  const code = `${ignoreTerm ? "process.on('SIGTERM',()=>{});process.on('SIGINT',()=>{});" : ''}setTimeout(()=>{},${ms})`;
  const child = spawn(process.execPath, ['-e', code], {
    detached: ownSession,
    stdio: ['ignore', keepOutput ? 'inherit' : 'ignore', keepOutput ? 'inherit' : 'ignore'],
  });
  child.unref();
  if (pidFile) writeFileSync(pidFile, String(child.pid));
  turn.children.push(child.pid);
}

async function waitForFile(path) {
  while (!existsSync(path)) await sleep(10);
}

function apiFailure(turn, failure) {
  const { message, status, code, retryable = true } = failure;
  emit(turn, { step_index: turn.nextStep(), state: 'ERROR', step_type: 'error_message' });
  const report = {
    short_error: message,
    status,
    error_code: code,
    code_kind: 'http',
    retryable,
    error_id: 'stand-in-1',
  };
  err(`error: ${message}\nAGY_ERROR: ${JSON.stringify(report)}\n`);
  Object.assign(turn.result, { status: 'ERROR', error: message });
  turn.exitCode = 3;
}

const QUOTA = {
  message:
    'Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 1h2m3s.',
  status: 'RESOURCE_EXHAUSTED',
  code: 429,
};

/** Each directive by its name; `turn` is the state of the run, see `newTurn` in agy-stand-in.mjs. */
const DIRECTIVES = {
  text: say,
  tool: useTool,
  sleep: (_turn, step) => sleep(step.sleep),
  deny: (turn, step) => deny(turn, step.deny),
  write: (turn, step) => write(turn, step.write),
  image: makeImage,
  read(turn, step) {
    say(turn, { text: readFileSync(step.read, 'utf8') });
  },
  env: (turn, step) =>
    say(turn, { text: JSON.stringify(Object.fromEntries(step.env.map((n) => [n, process.env[n] ?? null]))) }),
  about: (turn) => say(turn, { text: JSON.stringify(turn.about()) }),
  stderr: (_turn, step) => err(step.stderr),
  raw: (_turn, step) => out(step.raw),
  rawByteByByte: (_turn, step) => outByteByByte(step.rawByteByByte),
  long: (turn, step) =>
    useTool(turn, { tool: 'run_command', parameters: { CommandLine: 'yes' }, output: 'x'.repeat(step.long) }),
  flood(turn, step) {
    for (let n = 0; n < step.flood; n++) say(turn, { text: `${n}\n`, open: true });
  },
  step: (turn, step) => emit(turn, { step_index: turn.nextStep(), ...step.step }),
  subagent: (turn, step) =>
    emit(turn, {
      step_index: turn.nextStep(),
      state: 'DONE',
      step_type: 'subagent',
      tool_name: 'invoke_subagent',
      subagent_info: { subagents: [step.subagent] },
    }),
  touch: (_turn, step) => writeFileSync(step.touch, ''),
  waitFor: (_turn, step) => waitForFile(step.waitFor),
  grandchild: (turn, step) => startGrandchild(turn, step.grandchild === true ? {} : step.grandchild),
  on(turn, step) {
    Object.assign(turn.onSignal, step.on);
  },
  conversation(turn, step) {
    turn.id = step.conversation;
  },
  quota: (turn) => apiFailure(turn, QUOTA),
  apiError: (turn, step) => apiFailure(turn, step.apiError),
  timeoutNotice: (_turn, step) =>
    err(`[agy] print timeout after ${step.timeoutNotice} with turn in progress; returning partial output\n`),
  backgroundAbort(_turn, step) {
    err(`root agent idle; waiting up to 5s for ${step.backgroundAbort} background task(s)\n`);
    err(`terminating ${step.backgroundAbort} background task(s) on exit\n`);
  },
  result(turn, step) {
    if (step.result === false) turn.noResult = true;
    else Object.assign(turn.result, step.result);
  },
  structured(turn, step) {
    turn.structured = step.structured;
  },
  emitResult: (turn, step) => turn.emitResult(step.emitResult === true ? {} : step.emitResult),
  exitCode(turn, step) {
    turn.exitCode = step.exitCode;
  },
  exit: (_turn, step) => process.exit(step.exit),
  async die(_turn, step) {
    process.removeAllListeners(step.die);
    process.kill(process.pid, step.die);
    await forever();
  },
  hang: forever,
};

/** Runs the directives one after another; an unknown one ends the stand-in loudly, so that a test sees its typo. */
export async function runSteps(turn, steps) {
  for (const step of steps) {
    const name = Object.keys(DIRECTIVES).find((key) => key in step);
    if (name === undefined) {
      err(`stand-in: no directive in ${JSON.stringify(step)}\n`);
      process.exit(99);
    }
    await DIRECTIVES[name](turn, step);
  }
}

export { line, sleep };
