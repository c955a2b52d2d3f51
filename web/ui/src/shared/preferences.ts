import { useSyncExternalStore } from 'react';

/** Whose clock the page shows times by. */
export type ZoneChoice = 'viewer' | 'task' | 'utc';

interface Preferences {
  zone: ZoneChoice;
  project: string;
}

const key = 'baton.preferences';
const listeners = new Set<() => void>();
let present: Preferences = { zone: 'viewer', project: '', ...read() };

function read(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

export function prefer(change: Partial<Preferences>): void {
  present = { ...present, ...change };
  localStorage.setItem(key, JSON.stringify(present));
  listeners.forEach((tell) => tell());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export const preferences = (): Preferences => present;

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences, preferences);
}
