import { expect, test } from 'vitest';
import { allCapabilities, noCapabilities, readCapabilities } from '../../src/backends/capabilities.ts';

const FULL = `Usage of agy:
  --add-dir                        Add a directory to the workspace (repeatable) (default [])
  --agent                          Agent for the current session
  -c                               Alias for --continue
  --continue                       Continue the most recent conversation
  --conversation                   Resume a previous conversation by ID
  --dangerously-skip-permissions   Auto-approve all tool permission requests
  --disable-slash-commands         Disable slash command expansion
  --effort                         Effort level: low|medium|high
  --input-format                   Print mode input format: text|stream-json (default text)
  --json-schema                    JSON schema
  --mode                           Execution mode: accept-edits|plan
  --model                          Model for the current CLI session
  --output-format                  Print mode output format: text|json|stream-json (default text)
  --print-timeout                  Timeout for print mode wait (default 5m0s)
  --sandbox                        Run in a sandbox
  --max-turns                      Cap
  --max-tokens                     Cap
  --max-cost                       Cap
`;

function without(...flags: string[]): string {
  return FULL.split('\n')
    .filter((line) => !flags.some((flag) => new RegExp(`--${flag}\\b(?!-)`).test(line)))
    .join('\n');
}

test('reads a full help text', () => {
  expect(readCapabilities(FULL)).toEqual(allCapabilities(true));
});

test.each([
  ['model', 'model'],
  ['mode', 'mode'],
  ['conversation', 'conversation'],
  ['agent', 'agent'],
  ['sandbox', 'sandbox'],
  ['maxTurns', 'max-turns'],
  ['maxTokens', 'max-tokens'],
  ['maxCost', 'max-cost'],
  ['effort', 'effort'],
  ['addDir', 'add-dir'],
  ['jsonSchema', 'json-schema'],
  ['printTimeout', 'print-timeout'],
  ['dangerouslySkipPermissions', 'dangerously-skip-permissions'],
  ['disableSlashCommands', 'disable-slash-commands'],
  ['outputFormat', 'output-format'],
  ['streamJsonInput', 'input-format'],
])('misses %s alone when --%s is not named', (capability, flag) => {
  expect(readCapabilities(without(flag))).toEqual({ ...allCapabilities(true), [capability]: false });
});

test('-c alone is enough for continue', () => {
  const help = FULL.replace(/^.*--continue.*$/gm, '').replace('--agent', '-c\n  --agent');
  expect(readCapabilities(help)?.continueLatest).toBe(true);
});

test('a longer flag does not stand for a shorter one', () => {
  const found = readCapabilities('--model-family x\n--sandboxed\n--agents\n--modes\n--no-mode');
  expect(found).toBeUndefined();
});

test('output without json and input without stream-json are of no use', () => {
  const found = readCapabilities('--output-format text|xml\n--input-format text\n--model');
  expect(found).toEqual({ ...noCapabilities(), model: true });
});

test.each(['', 'command not found', '{"event":"init"}', 'a mode of model agents'])(
  '%j tells nothing',
  (text) => {
    expect(readCapabilities(text)).toBeUndefined();
  },
);

test('flags written with one dash or in a list count', () => {
  expect(readCapabilities('  -model string\n    flags: --mode,--effort=low')).toMatchObject({
    model: true,
    mode: true,
    effort: true,
    agent: false,
  });
});
