import type { Pages } from '@/api/pages';
import type { Execution } from '@/api/types';

export interface Shown {
  items: Execution[];
  /** From when on no execution is missing; null: none is. */
  allFrom: string | null;
  /** Before that, failed ones are missing too. */
  failuresMissing: boolean;
}

/** The latest executions, and the failed ones before them: what a night was about must not be lost behind a busy day. */
export function withFailures(latest: Pages<Execution>, failed: Pages<Execution> | undefined): Shown {
  if (!failed) return { items: latest.items, allFrom: null, failuresMissing: false };
  const known = new Set(latest.items.map(({ id }) => id));
  return { items: [...latest.items, ...failed.items.filter(({ id }) => !known.has(id))], allFrom: latest.items.at(-1)?.scheduled_at ?? null, failuresMissing: failed.more };
}
