import { setNonce } from 'get-nonce';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { features } from './app/features';
import { startLanguage } from './i18n';
import { nonce } from './shared/nonce';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
// For the <style> element that keeps the page from scrolling behind a dialog.
setNonce(nonce());
// What the first page shows is asked for while the texts load.
const opened = features.flatMap(({ routes }) => routes).find(({ path }) => path === location.pathname);
await Promise.all([startLanguage(), opened?.begin?.().catch(() => undefined)]);
const app = createRoot(root);
// In a transition React renders in slices, and lets the browser answer between them.
startTransition(() => app.render(<StrictMode><App /></StrictMode>));
