import type { Pages } from '@/api/pages';
import type { Execution } from '@/api/types';

export interface Shown {
  items: Execution[];
  /** From this time on no execution is missing; null: none is missing at all. */
  allFrom: string | null;
  /** Before `allFrom`, some failed executions are missing, too. */
  failuresMissing: boolean;
}

/** The latest executions, and the failed ones before them: the failures of a night must not be hidden by a busy day. */
export function withFailures(latest: Pages<Execution>, failed: Pages<Execution> | undefined): Shown {
  if (!failed) return { items: latest.items, allFrom: null, failuresMissing: false };
  const known = new Set(latest.items.map(({ id }) => id));
  return { items: [...latest.items, ...failed.items.filter(({ id }) => !known.has(id))], allFrom: latest.items.at(-1)?.scheduled_at ?? null, failuresMissing: failed.more };
}
