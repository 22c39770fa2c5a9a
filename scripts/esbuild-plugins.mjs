// What the bundles leave out of their dependencies, each for a measured reason (docs/decisions.md, "Build").
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ZodFirstPartyTypeKind } from 'zod/v3';
import { makeSchemasLazy } from './lazy-schemas.mjs';

/** zod carries its messages in some forty languages; only English is used (260 KB less to parse). */
const englishOnlyZod = {
  name: 'english-only-zod',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

const providerPackage = /@ai-sdk[\\/][\w-]+[\\/]dist[\\/].*\.m?js$/;

/**
 * The provider packages, made light to load:
 *
 * - They use the global `Headers` on every call, and on Node 20 its mere name loads undici (58 ms, 12 MB). In their
 *   files, and only there, it is our own small one.
 * - They import zod as one object, which keeps all of zod in the bundle; imported as a namespace, the unused half falls
 *   out.
 * - They import zod 3 (60 KB) for the names of its types, to recognise schemas that no caller of ours passes: they get
 *   the names.
 * @param {string} root
 */
const lightProviders = (root) => ({
  name: 'light-providers',
  setup(build) {
    const headers = JSON.stringify(join(root, 'src/agent/models/transport/headers.ts'));
    build.onLoad({ filter: providerPackage }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replaceAll(
        /^import \{ z(?: as (z\d+))? \} from "zod\/v4";$/gm,
        (_all, name) => `import * as ${name ?? 'z'} from "zod/v4";`,
      );
      const contents = /\bHeaders\b/.test(text)
        ? `import { LightHeaders as Headers } from ${headers};\n${text}`
        : text;
      return { contents, loader: 'js' };
    });
    build.onResolve({ filter: /^zod\/v3$/ }, ({ importer }) =>
      providerPackage.test(importer)
        ? { path: 'zod/v3', namespace: 'zod-names', sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'zod-names' }, () => ({
      contents: `export const ZodFirstPartyTypeKind = ${JSON.stringify(ZodFirstPartyTypeKind)};`,
      loader: 'js',
    }));
  },
});

/**
 * The MCP server library brings ajv (295 KB) as its default for checking answers to elicitations; the server hands it a
 * checker of its own (src/server/create-server.ts), so the default is never asked for.
 */
const lightMcpServer = {
  name: 'light-mcp-server',
  setup(build) {
    const name = '@modelcontextprotocol/server/_shims';
    build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: 'mcp-shims' }));
    build.onLoad({ filter: /.*/, namespace: 'mcp-shims' }, () => ({
      contents:
        "import process from 'node:process'; class DefaultJsonSchemaValidator { getValidator() { throw new Error('no default JSON Schema checker in this bundle'); } } export { DefaultJsonSchemaValidator, process };",
      loader: 'js',
    }));
  },
};

/** The MCP library's schemas are built when they are asked for anything. */
const lazyMcpSchemas = {
  name: 'lazy-mcp-schemas',
  setup(build) {
    const files =
      /@modelcontextprotocol[\\/](core|server|client)[\\/]dist[\\/](src|schemas|auth)-[\w-]+\.mjs$/;
    build.onLoad({ filter: files }, ({ path }) => ({
      contents: makeSchemasLazy(path, readFileSync(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/** @param {string} root the package's folder */
export function bundlingPlugins(root) {
  return [englishOnlyZod, lightProviders(root), lightMcpServer, lazyMcpSchemas];
}
