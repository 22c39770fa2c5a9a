import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __BATON_VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/build.ts'],
    setupFiles: ['test/setup/clean-environment.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for real processes, so more workers than cores pay.
    maxWorkers: 4,
  },
});
