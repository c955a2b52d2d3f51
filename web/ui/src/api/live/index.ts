import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { authorization } from '../client';
import { token } from '../token';
import { follow, type Surroundings } from './follow';
import { heard, watchSilence } from './signs';
import { setLiveState } from './state';
import { staleKeys, topicsOf } from './topics';

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

// Topics within 300 ms are one refetch.
function invalidator(client: QueryClient): (topics: string[]) => void {
  const stale = new Set<string>();
  let timer: number | undefined;
  return (topics) => {
    topics.forEach((topic) => stale.add(topic));
    if (stale.size === 0) return;
    timer ??= window.setTimeout(() => {
      timer = undefined;
      staleKeys(stale).forEach((queryKey) => void client.invalidateQueries({ queryKey }));
      stale.clear();
    }, 300);
  };
}

function surroundings(client: QueryClient): Surroundings {
  const tell = invalidator(client);
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
      if (first) void client.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt > 0 && state.dataUpdatedAt < opened });
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
    void follow(surroundings(client), stop.signal);
    const stopWatching = watchSilence();
    return () => {
      stop.abort();
      stopWatching();
    };
  }, [client, enabled]);
}
