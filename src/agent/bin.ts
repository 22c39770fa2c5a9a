import { VERSION } from '../platform/version.ts';

const VERSION_WORDS = new Set(['--version', '-version']);
const HELP_WORDS = new Set(['--help', '-help', '-h']);

/** Writes to stdout; a reader that has gone, or a full disk, is an exit code and no stack trace. */
function print(text: string): void {
  process.stdout.on('error', (error) => {
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written: ${error.message}\n`);
  });
  process.stdout.write(text);
}

/** `--version` and `--help` win wherever they stand, and load nothing else. */
async function start(argv: readonly string[]): Promise<void> {
  const asked = argv.find((argument) => VERSION_WORDS.has(argument) || HELP_WORDS.has(argument));
  if (asked !== undefined && VERSION_WORDS.has(asked)) {
    print(`${VERSION}\n`);
    return;
  }
  if (asked !== undefined || argv[0] === 'help') {
    const { helpText } = await import('./print/help.ts');
    print(helpText());
    return;
  }
  const { main } = await import('./print/main.ts');
  await main(argv);
}

void start(process.argv.slice(2));
