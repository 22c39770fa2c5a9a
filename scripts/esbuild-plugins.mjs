// What the bundles leave out of their dependencies, each for a measured reason (docs/decisions.md, "Build").
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

/** @param {string} root the package's folder */
export function bundlingPlugins(root) {
  void join(root);
  return [englishOnlyZod];
}
