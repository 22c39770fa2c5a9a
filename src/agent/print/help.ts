import { FLAGS, type FlagSpec, PROGRAM, SUBCOMMANDS } from './flags.ts';

const dashed = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);

function rowsOf(flag: FlagSpec): { names: string; help: string }[] {
  const help = flag.default === undefined ? flag.help : `${flag.help} (default ${flag.default})`;
  const aliases = (flag.aliases ?? []).map((alias) => ({
    names: dashed(alias),
    help: `Alias for ${dashed(flag.name)}`,
  }));
  return [{ names: dashed(flag.name), help }, ...aliases];
}

/** The text of `--help`: every name on a line of its own, since callers look for flag names in it. */
export function helpText(): string {
  const shown: readonly FlagSpec[] = [...FLAGS].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = shown.filter((flag) => !flag.hidden).flatMap(rowsOf);
  rows.push(
    { names: '--help', help: 'Show this text' },
    { names: '-h', help: 'Alias for --help' },
    { names: '--version', help: 'Show the version' },
  );
  const width = Math.max(...rows.map((row) => row.names.length));
  const flagLines = rows.map((row) => `  ${row.names.padEnd(width)}   ${row.help}`);
  const commandWidth = Math.max(...SUBCOMMANDS.map((command) => command.name.length));
  const commandLines = SUBCOMMANDS.map(
    (command) => `  ${command.name.padEnd(commandWidth)}   ${command.help}`,
  );
  return [
    `Usage of ${PROGRAM}:`,
    ...flagLines,
    '',
    'Available subcommands:',
    ...commandLines,
    '',
    'Flags come before the subcommand. A prompt is read from stdin when none is given.',
    '',
  ].join('\n');
}
