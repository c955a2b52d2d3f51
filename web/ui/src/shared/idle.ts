import { startTransition, useEffect, useState } from 'react';

const longestWait = 1000; // ms

/** Calls once the browser has nothing else to do. Gives the way to call it off. */
export function whenIdle(call: () => void): () => void {
  // Safari has no requestIdleCallback.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(call, longestWait / 2);
    return () => clearTimeout(timer);
  }
  const wish = requestIdleCallback(call, { timeout: longestWait });
  return () => cancelIdleCallback(wish);
}

/** False at first, and true once the browser has nothing else to do. */
export function useIdle(): boolean {
  const [idle, come] = useState(false);
  useEffect(() => whenIdle(() => startTransition(() => come(true))), []);
  return idle;
}
