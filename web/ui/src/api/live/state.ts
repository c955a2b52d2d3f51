import { useSyncExternalStore } from 'react';

/** How the page learns of changes: `stream`, or `poll` while the server has no stream or it is lost. */
export type LiveState = 'stream' | 'poll';

const pollEvery = 5000;
let state: LiveState = 'poll';
const listeners = new Set<() => void>();

export function setLiveState(next: LiveState): void {
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

let silence: number | null = null;

/** `since`, in milliseconds of the browser's clock: from when on the server has not answered; null if it does. */
export function setSilence(since: number | null): void {
  if (since === silence) return;
  silence = since;
  listeners.forEach((tell) => tell());
}

const silenceNow = () => silence;

/** Since when the server does not answer; null if it does. */
export function useSilence(): number | null {
  return useSyncExternalStore(subscribe, silenceNow, silenceNow);
}

const snapshot = () => state;

export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}

/** The interval for queries: none while the stream tells of changes, and none on a hidden page. */
export function useLiveInterval(): number | false {
  return useLiveState() === 'stream' ? false : pollEvery;
}
