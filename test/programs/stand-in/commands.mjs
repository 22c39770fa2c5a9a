// What the stand-in answers itself, without a turn: its models, and the free slash commands.
import { err, line, noUsage, out } from './output.mjs';

const MODELS = [
  ['gemini-3.8-flash-high', 'Gemini 3.8 Flash (High)'],
  ['gemini-3.8-flash-medium', 'Gemini 3.8 Flash (Medium)'],
  ['gemini-3.8-flash-low', 'Gemini 3.8 Flash (Low)'],
  ['gemini-3.1-pro-high', 'Gemini 3.1 Pro (High)'],
  ['gemini-3.1-pro-low', 'Gemini 3.1 Pro (Low)'],
  ['claude-sonnet-4-6', 'Claude Sonnet 4.6 (Thinking)'],
].map(([id, label]) => ({ id, label }));

/** What agy says about a model or effort that it does not take; undefined when it takes both. */
export function modelProblem(model, effort) {
  const frame = (why) =>
    `invalid model selection (--model ${JSON.stringify(model ?? '')} --effort ${JSON.stringify(effort ?? '')}): ${why}`;
  if (effort !== undefined && !['low', 'medium', 'high'].includes(effort)) {
    return frame(`invalid --effort ${JSON.stringify(effort)} (valid: low, medium, high)`);
  }
  if (model === undefined) return undefined;
  const isFamily = MODELS.some(({ id }) => id.startsWith(`${model}-`));
  if (isFamily)
    return effort ? undefined : frame(`${model} requires --effort (available: low, medium, high)`);
  const known = MODELS.find(({ id, label }) => id === model || label === model);
  if (!known) {
    const labels = MODELS.map(({ label }) => `  ${label}`).join('\n');
    return frame(
      `model ${model} is not recognized as a known model or custom model in settings\nAvailable models:\n${labels}`,
    );
  }
  const baked = /-(low|medium|high)$/.exec(known.id)?.[1];
  return effort && baked && baked !== effort
    ? frame(`--model ${model} conflicts with --effort=${effort}`)
    : undefined;
}

export async function listModels(format) {
  const how = process.env.STANDIN_MODELS ?? 'ok';
  if (how === 'hang') await new Promise(() => setInterval(() => {}, 60_000));
  err('Fetching available models...\n');
  if (how === 'signed-out') {
    err('Error: Please sign in to view available models. Launch the CLI without arguments to sign in.\n');
    process.exit(1);
  }
  if (how !== 'ok') {
    out(how);
    process.exit(0);
  }
  const rows = MODELS.map(({ id, label }) => `${id}\t${label}\n`).join('');
  const command = { name: 'models', data: { models: MODELS } };
  const envelope = {
    conversation_id: '',
    status: 'SUCCESS',
    response: rows,
    duration_seconds: 0.2,
    num_turns: 0,
    usage: noUsage(),
    command,
  };
  if (format === 'text') out(rows);
  else if (format === 'json') line(envelope);
  else {
    line({ event: 'command_result', command });
    line({ event: 'result', result: envelope });
  }
  process.exit(0);
}

function usageReport() {
  const how = process.env.STANDIN_USAGE ?? 'ok';
  if (how === 'signed-out') return { text: '', error: 'authentication failed or timed out', code: 0 };
  if (how === 'garbage') return { raw: 'no json here\n' };
  if (how === 'hang') return { hang: true };
  const left = how === 'exhausted' ? 0 : 0.83;
  const bucket = (id, name, window) => ({
    id,
    name,
    window,
    remaining_fraction: left,
    reset_time: '2026-12-08T08:00:00Z',
  });
  const groups = [
    {
      name: 'Gemini Models',
      description: 'Google models',
      buckets: [
        bucket('gemini-weekly', 'Weekly Limit', 'weekly'),
        bucket('gemini-5h', 'Five Hour Limit', '5h'),
      ],
    },
    {
      name: 'Third-party models',
      description: 'Other models',
      buckets: [bucket('3p-weekly', 'Weekly Limit', 'weekly')],
    },
  ];
  const text = groups
    .flatMap(({ name, buckets }) => buckets.map((b) => `${name}\t${b.name}\t${left * 100}%\t${b.reset_time}`))
    .join('\n');
  return { text, command: { name: 'usage', data: { description: 'Quota', groups } } };
}

/** The answer to a free slash command; undefined for anything else, an unknown `/word` included. */
export function answerCommand(prompt) {
  const name = /^\s*\/(\w+)\s*$/.exec(prompt)?.[1] ?? '';
  switch (name) {
    case 'usage':
    case 'quota':
      return usageReport();
    case 'model':
      return {
        text: MODELS[0].id,
        command: { name: 'model', data: { ...MODELS[0], effort: 'high', is_default: true } },
      };
    case 'skills':
      return { text: '', command: { name: 'skills', data: { skills: [] } } };
    case 'credits':
      return {
        text: '1000',
        command: { name: 'credits', data: { remaining_credits: 1000, upgrade_uri: '' } },
      };
    case 'clear':
    case 'compact':
    case 'logout':
      return { text: '', error: `/${name} is not available in print mode`, code: 2 };
    default:
      return undefined;
  }
}
