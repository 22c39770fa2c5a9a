// What the bundles leave out of their dependencies, each for a measured reason (docs/decisions.md, "Build").
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/**
 * The provider packages use the global `Headers` on every call, and on Node 20 its mere name loads undici (58 ms, 12 MB).
 * In their files, and only there, it is our own small one.
 * @param {string} root
 */
const lightHeaders = (root) => ({
  name: 'light-headers',
  setup(build) {
    const from = JSON.stringify(join(root, 'src/agent/models/transport/headers.ts'));
    build.onLoad({ filter: /@ai-sdk[\\/][\w-]+[\\/]dist[\\/].*\.m?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!/\bHeaders\b/.test(text)) return undefined;
      return { contents: `import { LightHeaders as Headers } from ${from};\n${text}`, loader: 'js' };
    });
  },
});

/** @param {string} root the package's folder */
export function bundlingPlugins(root) {
  return [englishOnlyZod, lightHeaders(root)];
}
