// Puts the small files of a build into one.
//
// Splitting gives each set of shared modules a file of its own: some fifteen small ones are loaded by a start. Finding,
// reading and compiling a file costs a fifth of a millisecond however small it is; a part of a file that is not used
// costs next to nothing, since V8 compiles a function when it is called.
import { createHash } from 'node:crypto';

const SMALL_BYTES = 16 * 1024;

/**
 * @param {Map<string, string>} parts function expressions by file name
 * @returns {{ files: Map<string, string>, pack: string }} the large ones as they are and the pack, an object of functions
 *   by name; and the name of the pack
 */
export function packSmall(parts) {
  const small = [...parts].filter(([, code]) => code.length <= SMALL_BYTES);
  const large = [...parts].filter(([, code]) => code.length > SMALL_BYTES);
  const code = `({${small.map(([name, text]) => `${JSON.stringify(name)}:${text.trim().slice(1, -1)}`).join(',\n')}})\n`;
  const pack = `small-${createHash('sha256').update(code).digest('hex').slice(0, 8).toUpperCase()}.js`;
  return { files: new Map([...large, [pack, code]]), pack };
}
