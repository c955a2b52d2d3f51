import { statesAsked } from '@/api/shown_state';
import type { Execution } from '@/api/types';
import { beginOf, isSpan } from './span';

export const filterNames = ['project', 'task', 'state', 'planned', 'since', 'from', 'until', 'parent', 'service', 'cause', 'late', 'error'] as const;
export type Values = Record<(typeof filterNames)[number], string>;

/** As `project` in the address: whichever project is chosen for all pages, the list is of all. No project has this name. */
export const everyProject = '/';

/** The project that the list is of: that of the address, or else the one that is chosen for all pages; '' is all. */
export function projectOf(ofAddress: string, chosen: string): string {
  return ofAddress === everyProject ? '' : ofAddress || chosen;
}

/** The query that the filters make. `project` is one of the result of `projectOf`. */
export function queryOf(filters: Values, after: string | undefined) {
  const { project, task, parent, from, until, since, state, planned, service, cause, late, error } = filters;
  return {
    limit: 50,
    after,
    project: project || undefined,
    task: task || undefined,
    parent: parent || undefined,
    from: isSpan(since) ? beginOf(since, Date.now()) : from || undefined,
    until: until || undefined,
    state: statesAsked(state, planned === 'true'),
    planned: planned === 'true',
    service: service || undefined,
    cause: cause ? [cause as Execution['cause']] : undefined,
    late: late === 'true' || undefined,
    error: error || undefined,
  };
}
