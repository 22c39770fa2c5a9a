import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fields, isFields } from '../../../src/contract/fields.ts';
import type { ConfigNotation } from '../../../src/server/install/config-text.ts';
import { jsonNotation } from '../../../src/server/install/edit-json.ts';
import { TOML_NOTATION } from '../../../src/server/install/edit-toml.ts';

const ENTRY = { command: '/usr/bin/node', args: ['/opt/a "b".js', 'serve'], env: { A: '1', 'B.C': 'x' } };

function withEntry(settings: Fields, key: string, entry: Fields): Fields {
  const servers = settings[key];
  return { ...settings, [key]: { ...(isFields(servers) ? servers : {}), baton: entry } };
}

function without(settings: Fields, key: string): Fields {
  const servers = settings[key];
  const { baton: _gone, ...rest } = isFields(servers) ? servers : {};
  return { ...settings, [key]: rest };
}

/** Which line ends occur in a text. */
function lineEnds(text: string): string[] {
  return [...new Set(text.match(/\r?\n/g) ?? [])];
}

function change(notation: ConfigNotation, text: string, edit: (settings: Fields) => Fields): string {
  const before = notation.parse(text);
  const after = edit(before);
  const changed = notation.patch(text, before, after);
  expect(notation.parse(changed)).toEqual(after);
  return changed;
}

const jsonc = jsonNotation('jsonc');

describe('JSON and JSONC', () => {
  it.each<[string, string]>([
    [
      'comments everywhere',
      '{\n  // mine\n  "a": 1, /* why */\n  "mcpServers": {\n    "o": { "command": "x" } // stays with o\n  }\n}\n',
    ],
    ['trailing commas', '{\n  "mcpServers": {\n    "o": {"command": "x"}, // o\n  },\n}\n'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"o": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n'],
    [
      'line ends of Windows and a mark',
      '\uFEFF{\r\n  "mcpServers": {\r\n    "o": {\r\n      "command": "x"\r\n    }\r\n  }\r\n}\r\n',
    ],
    ['all on one line', '{"mcpServers": {"o": {"command": "x"}}, "z": [1, 2]}'],
    ['a comment over two lines behind the last', '{\n  "mcpServers": {\n    "o": 1 /* a\n    b */\n  }\n}\n'],
    ['a comma on the next line', '{\n  "mcpServers": {\n    "o": 1 // c\n    , "p": 2\n  }\n}\n'],
    ['big numbers and odd spacing', '{"n": 12345678901234567890,   "mcpServers":{ "o":1 } }\n'],
  ])('adds and removes an entry and leaves the rest byte for byte: %s', (_name, text) => {
    const added = change(jsonc, text, (settings) => withEntry(settings, 'mcpServers', ENTRY));
    // Every comment is still there.
    const lines = text
      .trimEnd()
      .split(/\r?\n/)
      .filter((line) => line.includes('//') || line.includes('/*'));
    for (const line of lines)
      expect(added).toContain(
        line
          .split(/(?=\/[/*])/)
          .at(-1)!
          .trim(),
      );
    expect(lineEnds(added)).toEqual(lineEnds(text.includes('\n') ? text : added));
    const removed = change(jsonc, added, (settings) => without(settings, 'mcpServers'));
    expect(removed).toBe(text);
  });

  it('keeps the comment of the last entry with it', () => {
    const text = '{\n  "mcpServers": {\n    "o": 1 // of o\n  }\n}\n';
    const added = change(jsonc, text, (settings) => withEntry(settings, 'mcpServers', { command: 'n' }));
    expect(added).toBe(
      '{\n  "mcpServers": {\n    "o": 1, // of o\n    "baton": {\n      "command": "n"\n    }\n  }\n}\n',
    );
  });

  it('changes only the values that differ in an entry that is there', () => {
    const text =
      '{\n  "mcpServers": {\n    "baton": {\n      "command": "old", // here\n      "args": ["a"],\n      "disabled": true\n    }\n  }\n}\n';
    const changed = change(jsonc, text, (settings) =>
      withEntry(settings, 'mcpServers', { command: 'new', args: ['a'], disabled: true }),
    );
    expect(changed).toBe(text.replace('"old"', '"new"'));
  });

  it('makes what is missing, also in an empty file, and keeps comments in empty objects', () => {
    const texts = ['', '\n', '{}', '{\n}', '{ /* c */ }', '{"mcpServers": {}}', '// c\n{\n}\n'];
    for (const text of texts) {
      const added = change(jsonc, text, (settings) => withEntry(settings, 'mcpServers', ENTRY));
      expect(added.split(/\/[/*] c/).length).toBe(text.split(/\/[/*] c/).length);
    }
  });

  it('adds to lists, takes out of them, and changes items in place', () => {
    const text = '{\n  "hooks": [\n    {"a": 1}, // first\n    {"b": 2} // second\n  ]\n}\n';
    const list = jsonc.parse(text).hooks;
    const items = Array.isArray(list) ? list : [];
    const added = change(jsonc, text, (settings) => ({ ...settings, hooks: [...items, { c: 3 }] }));
    expect(added).toContain('{"b": 2}, // second\n');
    expect(change(jsonc, added, (settings) => ({ ...settings, hooks: items }))).toBe(text);
    expect(change(jsonc, text, (settings) => ({ ...settings, hooks: [items[1]] }))).not.toContain('"a"');
    expect(change(jsonc, text, (settings) => ({ ...settings, hooks: [{ a: 9 }, items[1]] }))).toBe(
      text.replace('1', '9'),
    );
    expect(change(jsonc, text, (settings) => ({ ...settings, hooks: [] }))).toContain('"hooks": [');
  });

  it('turns any settings into any others', () => {
    const key = fc.stringMatching(/^[a-d]{1,2}$/);
    const settings = fc.dictionary(
      key,
      fc.oneof({ depthSize: 'small' }, fc.jsonValue(), fc.dictionary(key, fc.array(fc.nat(3)))),
    );
    fc.assert(
      fc.property(settings, settings, fc.constantFrom(0, 2, '\t'), (before, after, indent) => {
        const text = JSON.stringify(before, null, indent);
        const [from, to] = [jsonc.parse(text), jsonc.parse(JSON.stringify(after))];
        expect(jsonc.parse(jsonc.patch(text, from, to))).toEqual(to);
      }),
    );
  });

  it('is as strict as the client, and names line and fault', () => {
    expect(() => jsonNotation('json').parse('{\n  // no\n  "a": 1\n}')).toThrow(
      /^line 2, column 3: .*no comments/,
    );
    expect(() => jsonNotation('json-comments').parse('{\n  // yes\n  "a": 1,\n}')).toThrow(
      /^line 4, column 1: /,
    );
    expect(jsonNotation('json-comments').parse('{ /* yes */ "a": 1 }')).toEqual({ a: 1 });
    expect(() => jsonc.parse('{\n  "a": 1\n  "b": 2\n}')).toThrow(
      'line 3, column 3: a comma is missing before this',
    );
    expect(() => jsonc.parse('[1]')).toThrow('does not hold an object');
    expect(() => jsonc.parse('{"a": ')).toThrow(/^line 1/);
  });
});

describe('TOML', () => {
  const text = [
    '# my settings',
    'model = "gpt"   # favourite',
    "policy = 'never'",
    'when = 1979-05-27T07:32:00Z',
    'big = 9_007_199_254_740_993',
    'list = [',
    '  "a", # first',
    ']',
    '',
    '[mcp_servers.other]   # keep',
    'command = "x"',
    'env = { A = "1", "B.C" = "2" }',
    '',
    '[profiles."my one"]',
    'model = """',
    'two',
    'lines"""',
    '# the end',
    '',
  ].join('\n');

  it('adds a table of its own at the end, and removing it gives the text back', () => {
    const added = change(TOML_NOTATION, text, (settings) => withEntry(settings, 'mcp_servers', ENTRY));
    expect(added.startsWith(text)).toBe(true);
    expect(added.slice(text.length)).toBe(
      '\n[mcp_servers.baton]\ncommand = "/usr/bin/node"\nargs = ["/opt/a \\"b\\".js", "serve"]\n\n[mcp_servers.baton.env]\nA = "1"\n"B.C" = "x"\n',
    );
    const removed = change(TOML_NOTATION, added, (settings) => without(settings, 'mcp_servers'));
    expect(removed.trimEnd()).toBe(text.trimEnd());
  });

  it('changes an entry where it stands, with its comments', () => {
    const entry =
      '\n[mcp_servers.baton]\n# mine\ncommand = "old" # why\nenabled = true\n\n[mcp_servers.baton.env]\nA = "1" # keep\n\n[tail]\nx = 1\n';
    const changed = change(TOML_NOTATION, text + entry, (settings) =>
      withEntry(settings, 'mcp_servers', { command: '/n', enabled: true, env: { A: '1', B: '2' } }),
    );
    for (const kept of ['# mine', 'command = "/n" # why', 'A = "1" # keep', '[tail]\nx = 1'])
      expect(changed).toContain(kept);
  });

  it.each([
    '',
    'mcp_servers = {}\n',
    'mcp_servers = { a = { command = "x" } }\n',
    'mcp_servers.a.command = "x"\n',
    '[mcp_servers]\n',
    '[mcp_servers]\na = { command = "x" }\n',
    'a = 1',
    '\uFEFFa=1\r\n[b]\r\nc=1\r\n',
  ])('finds the notation that the file allows: %j', (start) => {
    const added = change(TOML_NOTATION, start, (settings) => withEntry(settings, 'mcp_servers', ENTRY));
    change(TOML_NOTATION, added, (settings) => without(settings, 'mcp_servers'));
    expect(lineEnds(added)).toEqual(start.includes('\r') ? ['\r\n'] : ['\n']);
  });

  it('names line and fault', () => {
    expect(() => TOML_NOTATION.parse('a = 1\nb = = 2\n')).toThrow(/^line 2, column 5: /);
    expect(() => TOML_NOTATION.parse('[a]\nx=1\n[a]\n')).toThrow(/^line 3, column 1: .*already defined/);
  });
});
