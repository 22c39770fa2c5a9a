// Puts the chunks that a start always loads together into one file.
//
// Splitting gives each set of shared modules a file of its own, some twenty of them for a start of the agent; finding,
// reading and compiling a file costs a third of a millisecond. Each chunk keeps its name as a stub, so that a part that
// is loaded later gets the very same modules.
import { basename, dirname, join } from 'node:path';

/** Output paths that `start` imports statically, itself included. */
function closureOf(outputs, start) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind === 'import-statement' && !external) visit(next);
    }
  };
  visit(start);
  return found;
}

function entryOf(outputs, source) {
  return Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
}

/**
 * @param {Record<string, object>} outputs esbuild's account: output path to imports and entry point
 * @param {Map<string, string>} codes CommonJS code by output path; changed in place
 * @param {{ program: string, part: string, name: string }} pack sources of the program and of the part it always loads,
 *   and what the file is called
 */
export function packChunks(outputs, codes, { program, part, name }) {
  const start = entryOf(outputs, part);
  const own = entryOf(outputs, program);
  if (start === undefined || own === undefined)
    throw new Error(`nothing was built from ${program} and ${part}`);
  // What the program loads before or instead of the part stays apart: `--help` must not load it all.
  const others = outputs[own].imports.filter(({ kind, path }) => kind === 'dynamic-import' && path !== start);
  const apart = new Set(
    [own, ...others.map(({ path }) => path)].flatMap((path) => [...closureOf(outputs, path)]),
  );
  const packed = [...closureOf(outputs, start)].filter((path) => !apart.has(path));
  const folder = dirname(start);
  const file = `${name}-${basename(start).replace(/^.*-/, '')}`;
  // The brackets around each function make V8 compile it at once instead of looking it over first.
  const parts = packed.map(
    (path) => `${JSON.stringify(basename(path))}:(function(module,exports,require){${codes.get(path)}\n})`,
  );
  codes.set(
    join(folder, file),
    `"use strict";const parts={${parts.join(',\n')}};const made={};` +
      'const load=(name)=>{let m=made[name];if(!m){m=made[name]={exports:{}};' +
      'parts[name](m,m.exports,own)}return m.exports};' +
      'const own=(id)=>{const n=id.slice(2);return n in parts?load(n):require(id)};own.resolve=require.resolve;' +
      'module.exports=load;\n',
  );
  for (const path of packed) {
    codes.set(path, `module.exports=require("./${file}")(${JSON.stringify(basename(path))});\n`);
  }
}
