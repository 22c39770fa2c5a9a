import { RETRY_REASONS } from './attempt-log.ts';
import { runAttempts } from './run-attempts.ts';

// relay-attempts REASON LOG PROGRAM -- ARGUMENTS: the process that a relay job with a second attempt is started as.
const [reason, log, program, separator, ...args] = process.argv.slice(2);
const known = RETRY_REASONS.find((name) => name === reason);
if (!known || !log || !program || separator !== '--') {
  process.stderr.write('relay-attempts is started by Baton itself\n');
  process.exitCode = 2;
} else {
  void runAttempts({ reason: known, log, program, args });
}
