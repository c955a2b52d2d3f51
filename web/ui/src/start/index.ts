import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '../app/motion.css';
import '../app/scrollbar.css';
import 'virtual:theme.css';
import './still.css';
import { wantedLanguage } from '@/i18n/wanted';
import { showStill } from './still';

// As Mantine does it, which starts later.
function setColours(): void {
  const kept = localStorage.getItem('mantine-color-scheme-value');
  const dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
}

/** Calls once the browser has painted, or at once in a tab that it does not paint. */
function afterPaint(call: () => void): void {
  if (document.hidden) call();
  else requestAnimationFrame(() => setTimeout(call));
}

const root = document.getElementById('root');
const language = wantedLanguage();
document.documentElement.lang = language;
setColours();
if (root) showStill(root, language);
afterPaint(() => void import('../main'));
