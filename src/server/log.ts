/**
 * The server's log: one JSON object a line on stderr, plain words on a terminal. It never gets prompts, answers or
 * secrets: callers pass ids, names, counts and error messages.
 */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

function plainLine(name: string, level: LogLevel, message: string, fields: LogFields): string {
  const extra = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${String(value)}`)
    .join('');
  return `${name}: ${level === 'info' ? '' : `${level}: `}${message}${extra}\n`;
}

function jsonLine(name: string, level: LogLevel, message: string, fields: LogFields): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ time, level, name, pid: process.pid, message, ...fields })}\n`;
}

export function isLogLevel(value: string): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/**
 * @param options.level what is below it is dropped; `BATON_LOG` sets it, default `info`.
 * @param options.write receives whole lines.
 */
export function createLog(options: {
  name: string;
  level: LogLevel;
  plain: boolean;
  write: (line: string) => void;
}): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const line = options.plain ? plainLine : jsonLine;
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(level) >= threshold) options.write(line(options.name, level, message, fields));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
