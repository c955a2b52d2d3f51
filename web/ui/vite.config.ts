import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { preloadFirst } from './preload_first';
import { stillShell } from './still_shell';

// BATON_SERVER: the `baton web` that the development server passes /api on to.
const server = process.env.BATON_SERVER ?? 'http://127.0.0.1:7801';

// Else small modules would be merged into these: the start must stay small, and the first page needs no @floating-ui.
function ownChunkOf(id: string): string | undefined {
  if (/\/src\/start\/|\/src\/i18n\/wanted|vite\/preload-helper/.test(id)) return 'start';
  // Without a chunk of its own, React would come with @floating-ui, which imports it.
  if (/\/node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//.test(id)) return 'react';
  return id.includes('/@floating-ui/') ? 'floating' : undefined;
}

export default defineConfig({
  base: '/',
  plugins: [react(), stillShell(), preloadFirst(['/src/main.tsx', '/src/i18n/en/index.ts', '/src/features/overview/OverviewPage.tsx'])],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } },
  build: {
    // The Content-Security-Policy admits neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // A small file costs a request and its answer, which a first load waits for.
    rollupOptions: { output: { experimentalMinChunkSize: 20_000, manualChunks: ownChunkOf } },
  },
});
