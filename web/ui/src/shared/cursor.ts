import { useState } from 'react';

export interface Cursor {
  /** The `after` of the page that is shown; undefined for the first. */
  after: string | undefined;
  page: number;
  next: ((after: string) => void) | undefined;
  previous: (() => void) | undefined;
}

/** Remembers the way through the pages of a list. Another `of` (the filters) begins at the first page. */
export function useCursor(of: string): Cursor {
  const [state, setState] = useState<{ of: string; path: string[] }>({ of, path: [] });
  const path = state.of === of ? state.path : [];
  return {
    after: path.at(-1),
    page: path.length + 1,
    next: (after) => setState({ of, path: [...path, after] }),
    previous: path.length === 0 ? undefined : () => setState({ of, path: path.slice(0, -1) }),
  };
}
