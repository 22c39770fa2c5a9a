import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests start the real programs, so the bundles are built once before them. */
export function setup(): void {
  if (process.env.BATON_SKIP_BUILD) return;
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}
