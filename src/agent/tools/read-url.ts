import { createHash } from 'node:crypto';
import { sniffImage } from '../../platform/image-format.ts';
import { readArguments } from './arguments.ts';
import { type Fetched, fetchPage, type Network, publicNetwork } from './fetch-page.ts';
import { htmlToText } from './html-text.ts';
import { keepText } from './kept-output.ts';
import { failed, settle, succeeded } from './outcome.ts';
import { createPacer } from './pacer.ts';
import type { PreparedCall, Tool, ToolOptions, ToolOutcome } from './types.ts';
import { ToolInputError } from './types.ts';
import { wellFormed } from './well-formed.ts';

const MAX_SHOWN = 48_000;

type Page = Extract<Fetched, { type: 'page' }>;

function readAddress(value: string): URL {
  const text = value.trim();
  if (!URL.canParse(text))
    throw new ToolInputError(
      `${JSON.stringify(text)} is no address; give one such as https://example.com/page`,
    );
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol))
    throw new ToolInputError(`${text}: only http and https addresses are read`);
  if (url.username !== '' || url.password !== '')
    throw new ToolInputError('an address with a user name or a password is not read');
  return url;
}

function decodeBody({ body, contentType }: Page): string {
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  const inPage = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(
    body.subarray(0, 2_048).toString('latin1'),
  )?.[1];
  try {
    return new TextDecoder(declared ?? inPage ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function isText(type: string, body: Buffer): boolean {
  if (/^text\/|[/+](json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh|sql|graphql)$/.test(type))
    return true;
  return type === '' && !body.subarray(0, 8_192).includes(0);
}

async function toText(page: Page, type: string, signal: AbortSignal): Promise<string> {
  const text = decodeBody(page);
  return type === 'text/html' || type === 'application/xhtml+xml'
    ? await htmlToText(text, page.url, createPacer(signal))
    : text;
}

async function pageOutcome(page: Page, options: ToolOptions, signal: AbortSignal): Promise<ToolOutcome> {
  const type = page.contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const { url, status, body } = page;
  const image = sniffImage(body)?.mimeType;
  if (image && status < 300 && !page.isCut)
    return succeeded(`${url.href} (${image}, ${body.length} bytes)`, {
      displayOutput: `${body.length} bytes`,
      image: { mediaType: image, base64: body.toString('base64') },
    });
  if (!isText(type, body))
    return failed(`${url.href} is ${type || 'data'} of ${body.length} bytes, which is no text`);
  const text = wellFormed(await toText(page, type, signal));
  if (status >= 400)
    return failed(`${url.href} answered with status ${status}`, {
      output: `${url.href} answered with status ${status}:\n${text.slice(0, 2_000)}`,
    });
  const note = page.isCut ? `\n(the page is larger than what is read; its end is missing)` : '';
  const header = `${url.href} (status ${status}${type === '' ? '' : `, ${type}`})`;
  const displayOutput = `${text.length} characters`;
  if (text.length <= MAX_SHOWN) return succeeded(`${header}\n\n${text}${note}`, { displayOutput });
  const name = `page-${createHash('sha256').update(url.href).digest('hex').slice(0, 12)}.txt`;
  const kept = keepText(options.conversationFolder, name, text);
  const rest = `\n… ${text.length - MAX_SHOWN} characters left out; the whole text is in ${kept}`;
  return succeeded(`${header}\n\n${wellFormed(text.slice(0, MAX_SHOWN))}${rest}${note}`, {
    displayOutput,
    fullOutputPath: kept,
  });
}

function prepare(options: ToolOptions, network: Network, raw: Record<string, unknown>): PreparedCall {
  const url = readAddress(readArguments(raw).text('Url'));
  return {
    requests: [{ action: 'read_url', url: url.href }],
    parameters: { Url: url.href },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => (error instanceof Error ? error.message : String(error)),
        async () => {
          const fetched = await fetchPage(url, network, signal);
          if (fetched.type === 'page') return await pageOutcome(fetched, options, signal);
          return succeeded(
            `${url.href} redirects to another host: ${fetched.url.href}. Read that address if you need it.`,
          );
        },
      ),
  };
}

export function createReadUrl(options: ToolOptions, network: Network = publicNetwork): Tool {
  return {
    displayName: 'ReadUrlContent',
    declaration: {
      name: 'read_url_content',
      description:
        'Reads a public web page or file and gives its text. Nothing on this machine or in a private network can be read.',
      parameters: {
        type: 'object',
        properties: { Url: { type: 'string', description: 'The address, http or https' } },
        required: ['Url'],
      },
    },
    prepare: async (args) => prepare(options, network, args),
  };
}
