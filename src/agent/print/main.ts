import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { errorMessage } from '../../platform/errors.ts';
import { createDiagnostics, type Diagnostics } from './diagnostics.ts';
import { earlyEnvelope } from './envelope.ts';
import { failureOf, RunError } from './failures.ts';
import { type FlagValues, PROGRAM } from './flags.ts';
import { type Formats, readFormats, readOptions } from './options.ts';
import { createOutput, type Output } from './output.ts';
import { type ParsedCommandLine, parseFlags, UsageError } from './parse-flags.ts';
import { checkPromptFlags } from './read-prompt.ts';
import { runPrint } from './run-print.ts';
import { watchSignals } from './stopping.ts';

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new RunError(
      `the current folder cannot be used: ${errorMessage(error)}; change to one that exists`,
      {
        cause: error,
      },
    );
  }
}

/** Reports a failure from before the first turn, in the chosen format and on stderr. */
function reportEarly(error: unknown, output: Output, diagnostics: Diagnostics): ExitCode {
  const failure = failureOf(error);
  diagnostics.error(failure.error);
  output.result(earlyEnvelope({ status: failure.status, error: failure.error }));
  return failure.exit;
}

async function runCommandLine(
  values: FlagValues,
  formats: Formats,
  output: Output,
  diagnostics: Diagnostics,
): Promise<ExitCode> {
  const stopping = watchSignals();
  stopping.whenStopped(() => {
    const exit = reportEarly(new RunError('interrupted'), output, diagnostics);
    void Promise.all([output.flush(), diagnostics.flush()]).then(() => process.exit(exit));
  });
  try {
    const here = currentFolder();
    const options = readOptions(values, here, diagnostics);
    return await runPrint({ values, formats, options, here, output, diagnostics, stopping });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return reportEarly(error, output, diagnostics);
  }
}

async function reportUsage(error: UsageError, stderr: NodeJS.WriteStream): Promise<void> {
  const { helpText } = await import('./help.ts');
  const text = error.showUsage ? `${error.message}\n${helpText()}` : `${error.message}\n`;
  await new Promise((resolve) => stderr.write(text, resolve));
}

/** The word `help` was answered before the command line was read. */
function subcommandOf(line: ParsedCommandLine): 'agents' | 'conversations' | 'models' | undefined {
  if (line.afterDashes || line.values.text.print !== undefined) return undefined;
  const [word] = line.rest;
  if (word === 'agent') return 'agents';
  return word === 'agents' || word === 'conversations' || word === 'models' ? word : undefined;
}

async function dispatch(argv: readonly string[]): Promise<ExitCode> {
  const line = parseFlags(argv);
  const formats = readFormats(line.values);
  const diagnostics = createDiagnostics(() => process.stderr, line.values.text['log-file']);
  const output = createOutput(formats.output, process.stdout);
  const subcommand = subcommandOf(line);
  let exit: ExitCode;
  if (subcommand !== undefined) {
    const { runSubcommand } = await import('./subcommand.ts');
    const words = line.rest.slice(1);
    try {
      exit = await runSubcommand(subcommand, words, line.values, currentFolder(), output, diagnostics);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      exit = reportEarly(error, output, diagnostics);
    }
  } else {
    const [stray] = line.rest;
    if (stray !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(stray)}`);
    if (formats.input === 'text') checkPromptFlags(line.values, () => process.stdin.isTTY);
    exit = await runCommandLine(line.values, formats, output, diagnostics);
  }
  await Promise.all([output.flush(), diagnostics.flush()]);
  if (output.failure && (exit === EXIT.success || formats.output !== 'stream-json')) {
    // A stream is written during the turn, which ended by this and has said so.
    diagnostics.error(`the output could not be written: ${output.failure.message}`);
    await diagnostics.flush();
    return exit === EXIT.success ? EXIT.error : exit;
  }
  return exit;
}

/** The program behind `--help` and `--version`. Ends the process once everything written has left it. */
export async function main(argv: readonly string[]): Promise<void> {
  let exit: ExitCode;
  try {
    exit = await dispatch(argv);
  } catch (error) {
    if (error instanceof UsageError) {
      await reportUsage(error, process.stderr);
      exit = EXIT.usage;
    } else {
      process.stderr.write(
        `${PROGRAM}: internal error: ${error instanceof Error ? error.stack : String(error)}\n`,
      );
      exit = EXIT.error;
    }
  }
  process.exit(exit);
}
