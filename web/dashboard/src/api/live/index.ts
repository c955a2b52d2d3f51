import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { authorization } from './client';
import { eventReader, type StreamEvent } from './event_stream';

/** How the page learns of changes: `stream`, or `poll` while the server has no stream or it is lost. */
export type LiveState = 'stream' | 'poll';

const path = '/api/v1/events';
const pollEvery = 5000;
const longestWait = 30000;

let state: LiveState = 'poll';
const listeners = new Set<() => void>();

function set(next: LiveState) {
  if (next === state) return;
  state = next;
  listeners.forEach((tell) => tell());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => state);
}

/** The interval for queries: none while the stream tells of changes, and none on a hidden page. */
export function useLiveInterval(): number | false {
  return useLiveState() === 'stream' ? false : pollEvery;
}

// An event's name is the first part of the query keys that it makes stale. Several within 300 ms are one refetch.
function invalidator(client: QueryClient): (event: StreamEvent) => void {
  const stale = new Set<string>();
  let timer: number | undefined;
  return ({ name }) => {
    stale.add(name);
    timer ??= window.setTimeout(() => {
      timer = undefined;
      if (stale.has('message')) void client.invalidateQueries();
      else stale.forEach((topic) => void client.invalidateQueries({ queryKey: [topic] }));
      stale.clear();
    }, 300);
  };
}

/** Reads one stream to its end. Answers false if the server has none. */
async function readStream(client: QueryClient, lastId: { value: string }, signal: AbortSignal): Promise<boolean> {
  const headers = { ...authorization(), Accept: 'text/event-stream', ...(lastId.value ? { 'Last-Event-ID': lastId.value } : {}) };
  const response = await fetch(path, { headers, signal });
  if (response.status === 404) return false;
  if (!response.ok || !response.body) throw new Error(String(response.status));
  set('stream');
  const tell = invalidator(client);
  const take = eventReader((event) => {
    lastId.value = event.id;
    tell(event);
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) take(piece.value);
  return true;
}

async function follow(client: QueryClient, signal: AbortSignal): Promise<void> {
  const lastId = { value: '' };
  let wait = 1000;
  while (!signal.aborted) {
    try {
      if (!(await readStream(client, lastId, signal))) return;
      wait = 1000;
    } catch {
      wait = Math.min(wait * 2, longestWait);
    }
    set('poll');
    await new Promise((resume) => setTimeout(resume, wait));
    if (!signal.aborted) void client.invalidateQueries();
  }
}

/** One stream for the page, opened anew after a loss. The shell calls it once. */
export function useLive(enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    void follow(client, stop.signal);
    return () => stop.abort();
  }, [client, enabled]);
}
