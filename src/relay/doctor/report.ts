import type { Capabilities, ProgramReport, UsageReport } from '../../backends/types.ts';
import { printable } from '../printable.ts';
import { accountState, remainingText, usageProblem } from './account.ts';
import type { RelayHealth } from './health.ts';

const INSTALL = 'curl -fsSL https://antigravity.google/cli/install.sh | bash';
const DETAIL_CHARACTERS = 300;

/** The health of the relay as Markdown: what gemini-doctor answers. */
export function doctorReport(health: RelayHealth): string {
  return [
    '### Gemini MCP Tool Doctor & Environment Diagnostic',
    runtimeSection(health),
    agySection(health),
    geminiSection(health),
    batonSection(health),
    quotaSection(health),
    verdict(health),
  ].join('\n\n');
}

function runtimeSection(health: RelayHealth): string {
  const { ms, problem } = health.deadline;
  const backend = health.backend === undefined ? '❌ none' : `**${health.backend}**`;
  const lines = [
    '**Runtime Environment**',
    `- **Node.js:** ${health.node}`,
    `- **OS:** ${health.system}`,
    `- **Active Backend:** ${backend} (via \`${health.chosenBy}\`)`,
    `- **Deadline of a run:** ${ms / 60_000} minutes`,
  ];
  if (health.choiceProblem !== undefined) lines.push(`- ❌ ${printable(health.choiceProblem)}`);
  if (problem !== undefined) lines.push(`- ⚠️ ${printable(problem)}`);
  return lines.join('\n');
}

function status(report: ProgramReport, missing: string): string {
  if (report.path === undefined) return missing;
  return report.version === undefined ? '⚠️ Installed, version unknown' : `✅ Installed (${report.version})`;
}

function programLines(report: ProgramReport, missing: string): string[] {
  const lines = [
    `- **Status:** ${status(report, missing)}`,
    `- **Executable:** ${report.path === undefined ? 'not resolved' : `\`${report.path}\``}`,
  ];
  if (report.problem !== undefined) lines.push(`- Detail: \`${detail(report.problem)}\``);
  if (report.helpProblem !== undefined)
    lines.push(`- ⚠️ Its flags are not known, so none are sent: \`${detail(report.helpProblem)}\``);
  return lines;
}

function detail(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return printable(line).replaceAll('`', "'").slice(0, DETAIL_CHARACTERS);
}

function agySection(health: RelayHealth): string {
  const report = health.programs.agy;
  return [
    '**Antigravity CLI (`agy`)**',
    ...programLines(report, '❌ Not found'),
    ...flagLines(report.capabilities, health.backend === 'gemini'),
  ].join('\n');
}

function flagLines(capabilities: Capabilities | undefined, isIdle: boolean): string[] {
  const said = (value: boolean | undefined): string =>
    isIdle || value === undefined ? 'N/A' : value ? '✅ Yes' : '❌ No';
  return [
    `- **Prompt on stdin:** ${said(capabilities?.streamJsonInput)}`,
    `- **Structured output:** ${said(capabilities?.jsonSchema)}`,
    `- **Plan mode:** ${said(capabilities?.mode)}`,
  ];
}

function geminiSection({ programs, backend }: RelayHealth): string {
  const missing = backend === 'gemini' ? '❌ Not found' : '⚠️ Not installed (retired on 2026-06-18)';
  const { problem: _problem, ...report } = programs.gemini;
  // That a retired program is not there needs no explanation, unless it was asked for.
  const shown = backend === 'gemini' ? programs.gemini : report;
  return ['**Gemini CLI (`gemini`)**', ...programLines({ ...shown, helpProblem: undefined }, missing)].join(
    '\n',
  );
}

function batonSection({ programs }: RelayHealth): string {
  return ['**Own agent (`baton-agent`)**', ...programLines(programs.baton, '❌ Not found')].join('\n');
}

function quotaSection(health: RelayHealth): string {
  return ['**Login & Quota**', ...quotaLines(health)].join('\n');
}

function quotaLines({ backend, usage }: RelayHealth): string[] {
  if (backend !== 'agy')
    return [`- ℹ️ Skipped: the \`${backend ?? 'none'}\` backend is active, which has no such question.`];
  if (!usage) return ['- ⚠️ Skipped: `agy` was not found, so nobody could be asked.'];
  const problem = usageProblem(usage);
  if (problem !== undefined) {
    const isSevere = accountState(usage) !== 'unclear';
    const said = 'detail' in usage && usage.detail ? [`- Detail: \`${detail(usage.detail)}\``] : [];
    return [`- ${isSevere ? '❌' : '⚠️'} ${problem}`, ...said];
  }
  return bucketLines(usage);
}

function bucketLines(usage: UsageReport): string[] {
  if ('problem' in usage) return [];
  const lines = usage.groups.flatMap((group) =>
    group.buckets.map((bucket) => {
      const reset = bucket.resetTime === undefined ? '' : `, resets \`${bucket.resetTime}\``;
      return `- \`${printable(group.name)}\` — ${printable(bucket.name)}: **${remainingText(bucket)} left**${reset}`;
    }),
  );
  return accountState(usage) === 'exhausted'
    ? [...lines, '- ❌ Every quota bucket is exhausted — model calls will fail until one resets.']
    : lines;
}

function verdict({ backend, programs, usage }: RelayHealth): string {
  if (backend === undefined)
    return '⚠️ **Action needed:** the chosen backend is none: see **Runtime Environment** above.';
  const isThere = programs[backend].path !== undefined;
  if (backend === 'gemini') {
    return isThere
      ? '🎉 **System Ready!** The `gemini` backend is active.'
      : '⚠️ **Action needed:** the `gemini` backend is selected but its CLI was not found.';
  }
  if (backend === 'baton') {
    return isThere
      ? '🎉 **System Ready!** The `baton` backend is active; `baton doctor` says which model it uses.'
      : '⚠️ **Action needed:** the `baton` backend is selected but its agent was not found: reinstall this package.';
  }
  if (!isThere) return `⚠️ **Action needed:** Install Antigravity CLI: \`${INSTALL}\``;
  return usage && accountState(usage) === 'good'
    ? '🎉 **System Ready!** The modern Antigravity CLI backend is active, signed in, and operational.'
    : '⚠️ **Action needed:** `agy` is installed, but its account check did not come back healthy — see **Login & Quota** above.';
}
