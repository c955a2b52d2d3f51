import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The tests in a real browser, on a real server (tests/browser/run.py). Each file has a server and a browser of its own.
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    include: ['tests/browser/*.browser.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
