import { setSilence } from './state';
import { SilenceWatch } from './silence';

const longestAsk = 10000;

async function ask(): Promise<void> {
  // Any answer will do, also a refusal. Older browsers lack `AbortSignal.timeout`.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), longestAsk);
  try {
    await fetch('/healthz', { signal: stop.signal, cache: 'no-store' });
    heard();
  } finally {
    clearTimeout(timer);
  }
}

const watch = new SilenceWatch({ ask, tell: setSilence });

/** The server has sent something: an answer, an event, or a comment of the stream. */
export function heard(): void {
  watch.heard(Date.now());
}

/** Watches for silence until the returned function is called. */
export function watchSilence(): () => void {
  heard();
  const timer = setInterval(() => watch.tick(Date.now()), 1000);
  return () => clearInterval(timer);
}
