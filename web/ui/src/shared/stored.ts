import { useSyncExternalStore } from 'react';

/** A value that stays in this browser. Several components that show it change together. */
export interface Stored<Value> {
  read: () => Value;
  write: (value: Value) => void;
  subscribe: (listener: () => void) => () => void;
}

const known = new Map<string, Stored<unknown>>();

function load<Value>(key: string, fits: (value: unknown) => value is Value, otherwise: Value): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return fits(value) ? value : otherwise;
  } catch {
    return otherwise;
  }
}

/** The value under a key. A text there that does not fit, of an older page perhaps, counts as `otherwise`. */
export function stored<Value>(key: string, fits: (value: unknown) => value is Value, otherwise: Value): Stored<Value> {
  const before = known.get(key) as Stored<Value> | undefined;
  if (before) return before;
  let present = load(key, fits, otherwise);
  const listeners = new Set<() => void>();
  const made: Stored<Value> = {
    read: () => present,
    write: (value) => {
      present = value;
      localStorage.setItem(key, JSON.stringify(value));
      listeners.forEach((tell) => tell());
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  known.set(key, made as Stored<unknown>);
  return made;
}

export function useStored<Value>(one: Stored<Value>): [Value, (value: Value) => void] {
  return [useSyncExternalStore(one.subscribe, one.read, one.read), one.write];
}
