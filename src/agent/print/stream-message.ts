import { type Fields, isFields } from '../../contract/fields.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { goJsonError, goKind } from './go-json-error.ts';

/** What one line of stdin asks for. */
export type StreamMessage =
  | { kind: 'prompt'; text: string }
  /** An event of a newer protocol: warned about and skipped. */
  | { kind: 'unknown'; warning: string }
  /** Ends the session. */
  | { kind: 'bad'; error: string; exit: ExitCode };

const bad = (error: string, exit: ExitCode = EXIT.error): StreamMessage => ({ kind: 'bad', error, exit });
const undecodable = (why: string): StreamMessage => bad(`failed to decode stream input: ${why}`);
const wrongType = (value: unknown, field: string, type: string): StreamMessage =>
  undecodable(`json: cannot unmarshal ${goKind(value)} into Go struct field ${field} of type ${type}`);

function readContent(content: unknown): StreamMessage {
  const empty = bad('stream input "user" message has no content');
  if (content === undefined || content === null) return empty;
  if (typeof content === 'string') return content.trim() === '' ? empty : { kind: 'prompt', text: content };
  if (!Array.isArray(content)) {
    return wrongType(content, 'streamInputUserMessage.message.content', 'string');
  }
  const texts: string[] = [];
  for (const block of content) {
    const type: unknown = isFields(block) ? block.type : goKind(block);
    if (!isFields(block) || type !== 'text') {
      const name = typeof type === 'string' ? type : '';
      return bad(`stream input content block type ${JSON.stringify(name)} is not supported (only "text")`);
    }
    if (typeof block.text === 'string') texts.push(block.text);
  }
  const text = texts.join('');
  return text.trim() === '' ? empty : { kind: 'prompt', text };
}

function readUser(fields: Fields): StreamMessage {
  const { message } = fields;
  if (message === undefined || message === null) {
    return bad('stream input "user" message is missing the "message" field');
  }
  if (!isFields(message)) {
    return wrongType(message, 'streamInputMessage.message', 'printmode.streamInputUserMessage');
  }
  return readContent(message.content);
}

/** Reads one line of `--input-format stream-json`, with the contract's words for everything it does not take. */
export function readStreamMessage(line: string): StreamMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undecodable(goJsonError(line));
  }
  // Go leaves the struct as it is for a null.
  const fields = value === null ? {} : value;
  if (!isFields(fields)) {
    return undecodable(
      `json: cannot unmarshal ${goKind(fields)} into Go value of type printmode.streamInputMessage`,
    );
  }
  const { event } = fields;
  if (event === undefined || event === null || event === '') {
    return bad('stream input message is missing the "event" field');
  }
  if (typeof event !== 'string') return wrongType(event, 'streamInputMessage.event', 'string');
  if (event === 'user') return readUser(fields);
  if (event === 'control_request' || event === 'control_response') {
    return bad(`stream input message event ${JSON.stringify(event)} is not supported yet`, EXIT.usage);
  }
  return {
    kind: 'unknown',
    warning: `ignoring unsupported stream input message event ${JSON.stringify(event)}`,
  };
}
