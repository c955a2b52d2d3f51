import { statesAsked } from '@/api/shown_state';
import type { Execution } from '@/api/types';
import { beginOf, isSpan } from './span';

export const filterNames = ['task', 'state', 'planned', 'since', 'from', 'until', 'parent', 'service', 'cause', 'late', 'error'] as const;
export type Values = Record<(typeof filterNames)[number], string>;

export interface ExecutionFilters extends Values {
  project: string;
}

/** What the filters of the address ask of the server. */
export function queryOf(filters: ExecutionFilters, after: string | undefined) {
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
