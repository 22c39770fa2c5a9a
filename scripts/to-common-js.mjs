// Rewrites a bundled ES module as CommonJS whose imports are loaded when they are first used.
import * as esbuild from 'esbuild';

const options = {
  platform: 'node',
  target: 'node20.19',
  supported: { 'dynamic-import': false },
};

/** `var import_x = require("x");` and `var import_x = __toESM(require("x"));`, as esbuild writes an import. */
const importStatement = /^var (import_\w+) = ((?:__toESM\()?require\("[^"\n]+"\)(?:, 1)?\)?);$/gm;

/**
 * A static import is loaded when its first name is used, so that `node:crypto` (9 ms) or another chunk costs nothing in a
 * run that never comes to it. The order of side effects changes with it, which code that is bundled here must not mind;
 * an import for its side effects alone stays where it is.
 */
function loadOnFirstUse(code) {
  const loaders = [];
  const body = code.replace(importStatement, (_all, name, load) => {
    loaders.push({ name, load });
    return '';
  });
  const names = new Set(loaders.map(({ name }) => name));
  const used = body.replace(/\bimport_\w+\b/g, (name) => (names.has(name) ? `(${name}())` : name));
  return [
    used,
    ...loaders.map(
      ({ name, load }) => `var loaded_${name}; function ${name}() { return loaded_${name} ??= ${load}; }`,
    ),
  ].join('\n');
}

/**
 * @param {string} text an ES module without top-level await
 * @param {boolean} minify
 */
export async function toCommonJs(text, minify) {
  const { code } = await esbuild.transform(text, {
    ...options,
    format: 'cjs',
    define: { 'import.meta.url': 'metaUrl' },
  });
  // A require for resolving needs no node:module, which loads Node's whole ES module loader.
  const plain = code.replace(/\(0, import_node_module\d*\.createRequire\)\(metaUrl\)/g, 'require');
  const withUrl = /\bmetaUrl\b/.test(plain)
    ? `${plain.replace(/\bmetaUrl\b/g, 'metaUrl()')}\nfunction metaUrl() { return require("node:url").pathToFileURL(__filename).href; }`
    : plain;
  const result = await esbuild.transform(loadOnFirstUse(withUrl), { ...options, minify });
  return result.code;
}

/** CommonJS code as one function expression with the parameters of a module, for src/platform/chunks. */
export function toModuleFunction(code) {
  return `(function(exports,require,module,__filename,__dirname){${code}\n})\n`;
}
