import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { startLanguage } from './i18n';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
await startLanguage();
createRoot(root).render(<StrictMode><App /></StrictMode>);
