import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { authorization } from '../client';
import { token } from '../token';
import { follow, type Surroundings } from './follow';
import { type Invalidator, invalidator } from './invalidator';
import { heard, watchSilence } from './signs';
import { setLiveState } from './state';
import { topicsOf } from './topics';

export { useLiveInterval, useLiveState, useSilence, type LiveState } from './state';

const path = '/api/v1/events';

function open(lastId: string, signal: AbortSignal): Promise<Response> {
  const headers = { ...authorization(), Accept: 'text/event-stream', ...(lastId ? { 'Last-Event-ID': lastId } : {}) };
  return fetch(path, { headers, signal, cache: 'no-store' });
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const timer = setTimeout(resume, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resume();
    }, { once: true });
  });
}

function surroundings({ tell, tellBefore }: Invalidator): Surroundings {
  let opened = 0;
  return {
    open: (lastId, signal) => {
      opened = Date.now();
      return open(lastId, signal);
    },
    wait,
    onState: setLiveState,
    onPiece: heard,
    onUnauthorized: token.refuse,
    onEvent: (event, first) => {
      // Answers from before a stream that began without an id may be older than what it tells of.
      if (first) tellBefore(opened);
      tell(topicsOf(event));
    },
  };
}

/** One stream for the page, opened before its first requests. The shell calls it once. */
export function useLive(enabled: boolean): void {
  const client = useQueryClient();
  // A layout effect of the shell comes before the effects with which its pages begin to ask.
  useLayoutEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    const stale = invalidator(client);
    void follow(surroundings(stale), stop.signal);
    const stopWatching = watchSilence();
    return () => {
      stop.abort();
      stale.stop();
      stopWatching();
    };
  }, [client, enabled]);
}
