import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJsonError } from '../../../src/agent/print/go-json-error.ts';

// What Go 1.2x's encoding/json says of each text.
test.each([
  ['rubbish', "invalid character 'r' looking for beginning of value"],
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['"a\tb"', "invalid character '\\t' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12G4"', "invalid character 'G' in \\u hexadecimal character escape"],
  ['-', 'unexpected end of JSON input'],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.', 'unexpected end of JSON input'],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e', 'unexpected end of JSON input'],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ['nul', 'unexpected end of JSON input'],
  ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
  ['tru!', "invalid character '!' in literal true (expecting 'e')"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  ['\u0001', "invalid character '\\x01' looking for beginning of value"],
])('%j', (text, message) => {
  expect(goJsonError(text)).toBe(message);
});

test('finds a fault in everything that is no JSON, and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((text) => text.slice(0, -1)),
        fc.json(),
      ),
      (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const said = goJsonError(text);
        expect(said.length).toBeGreaterThan(0);
        expect(isJson || said !== 'invalid JSON').toBe(true);
      },
    ),
  );
  expect(goJsonError('['.repeat(200_000))).toBe('exceeded max depth');
});
