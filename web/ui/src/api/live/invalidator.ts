import { focusManager, type QueryClient } from '@tanstack/react-query';
import { staleKeys } from './topics';

// Changes within this time are read once.
const gathering = 300;

export interface Invalidator {
  /** These topics have changed. */
  tell: (topics: string[]) => void;
  /** All that was read before this time, in milliseconds, may be out of date. */
  tellBefore: (time: number) => void;
  stop: () => void;
}

/** Has the queries of changed topics read again: soon on a visible page, and on a hidden one when it is shown again. */
export function invalidator(client: QueryClient): Invalidator {
  const stale = new Set<string>();
  let before = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function read(options: { cancelRefetch: boolean }) {
    const [keys, time] = [staleKeys(stale), before];
    stale.clear();
    before = 0;
    if (time > 0) void client.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt > 0 && state.dataUpdatedAt < time }, options);
    keys.forEach((queryKey) => void client.invalidateQueries({ queryKey }, options));
  }
  function readSoon() {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (focusManager.isFocused()) read({ cancelRefetch: true });
    }, gathering);
  }
  // A page that is shown again reads what is old by itself, too; no query is read twice for that.
  const stopListening = focusManager.subscribe((visible) => {
    if (visible && timer === undefined) read({ cancelRefetch: false });
  });

  return {
    tell: (topics) => {
      topics.forEach((topic) => stale.add(topic));
      if (topics.length > 0) readSoon();
    },
    tellBefore: (time) => {
      before = Math.max(before, time);
      readSoon();
    },
    stop: () => {
      stopListening();
      clearTimeout(timer);
    },
  };
}
