import type { Measure } from './bench.ts';
import type { Machine } from './machine.ts';
import type { Result, Row, Target } from './rows.ts';

export interface Measured {
  measure: Pick<Measure, 'name' | 'title'>;
  results: Result[];
  seconds: number;
}

export interface Report {
  date: string;
  command: string;
  machine: Machine;
  measured: Measured[];
}

function number(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

function targetText({ of, atMost, atLeast }: Target): string {
  const sign = of === 'ratio' ? '×' : '';
  return [
    atMost === undefined ? '' : `≤ ${number(atMost)}${sign}`,
    atLeast === undefined ? '' : `≥ ${number(atLeast)}${sign}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function spread({ values }: Row): string {
  return values.count === 1 ? '' : `${number(values.low)}–${number(values.high)}, min ${number(values.min)}`;
}

function verdict(row: Row): string {
  return row.isMet === undefined ? '' : row.isMet ? 'met' : '**missed**';
}

function line(result: Result): string {
  if ('skipped' in result) return `| ${result.what} | skipped: ${result.skipped} | | | | | |`;
  const { what, unit, values, against, ratio, ratioOfMinima, target } = result;
  const ratios =
    ratio === undefined
      ? ''
      : `${number(ratio)}${values.count > 1 ? ` (${number(ratioOfMinima ?? ratio)})` : ''}`;
  const cells = [
    what,
    `${number(values.median)} ${unit === 'count' ? '' : unit}`.trim(),
    spread(result),
    against ? `${against.what}: ${number(against.median)}` : '',
    ratios,
    target ? targetText(target) : '',
    verdict(result),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The results as Markdown, one table for each measure. */
export function toMarkdown(report: Report): string {
  const { machine } = report;
  const parts = [
    `Measured ${report.date} with \`${report.command}\`: Baton ${machine.baton} (${machine.commit}), Node ${machine.node}, ` +
      `${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, ${machine.system}, load ${machine.load} at the start.`,
    'Medians of interleaved rounds; behind them the middle half of the values and the smallest. Ratios are of medians, in brackets of the smallest values.',
  ];
  for (const { measure, results } of report.measured) {
    parts.push(
      `### ${measure.title} (\`--only ${measure.name}\`)`,
      [
        '| what | median | spread | against | ratio | target | |',
        '| --- | ---: | --- | --- | ---: | --- | --- |',
        ...results.map(line),
      ].join('\n'),
    );
  }
  return `${parts.join('\n\n')}\n`;
}
