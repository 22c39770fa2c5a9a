import { styleText } from 'node:util';

/** Colours and the like for one output stream; plain text where it is no terminal or the user wants none. */
export interface Paint {
  readonly colour: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

type Style = Parameters<typeof styleText>[0];

/** `NO_COLOR` and `FORCE_COLOR` are heeded as everywhere. */
export function createPaint(
  stream: { isTTY?: boolean },
  environment: NodeJS.ProcessEnv = process.env,
): Paint {
  const forced = environment.FORCE_COLOR !== undefined && environment.FORCE_COLOR !== '0';
  const colour = !environment.NO_COLOR && (forced || (stream.isTTY === true && environment.TERM !== 'dumb'));
  const style =
    (format: Style) =>
    (text: string): string =>
      colour ? styleText(format, text) : text;
  return {
    colour,
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
  };
}

/**
 * Foreign text made safe to print on a terminal: control characters (escape sequences among them) are shown, not
 * obeyed; line ends and tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are exactly the characters that must not reach a terminal
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === '\r' ? '' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
