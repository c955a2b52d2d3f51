import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { readPages } from '@/api/pages';
import { ProblemError } from '@/api/problem';
import { asShown } from '@/api/shown_state';
import type { State } from '@/api/types';
import { type Answer, comingOf, mostFirings, tasksToAsk } from './further';
import type { Range } from './range';
import { withFailures } from './shown';

export const mostBars = 2000;

// Several pages of executions are too much to read for each event, so this key is of no topic.
const presentEvery = 15000;

/** The executions that were scheduled in the range: the latest `mostBars` of them, and of the others those that failed. */
export function useExecutionsOf(project: string, { begin, end }: Range) {
  const present = begin <= Date.now() && Date.now() < end;
  return useQuery({
    queryKey: ['day', project, begin, end],
    refetchInterval: present ? presentEvery : false,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const read = (until: string, state?: State[]) => readPages(async (after) => {
        const query = { limit: 500, after, from: new Date(begin).toISOString(), until, project: project || undefined, state };
        const page = await unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer: { array: { style: 'form', explode: false } } }));
        return { ...page, items: page.items.map((one) => asShown(one)) };
      }, mostBars);
      const latest = await read(new Date(end).toISOString());
      const allFrom = latest.more ? latest.items.at(-1)?.scheduled_at : undefined;
      return withFailures(latest, allFrom === undefined ? undefined : await read(new Date(Date.parse(allFrom) + 1).toISOString(), ['failed', 'timed_out']));
    },
  });
}

const mostComing = 500;
const comingEvery = 60000;

/** When a task fires next. A task that was deleted or disabled meanwhile has no answer. */
async function askTask(task: string, signal: AbortSignal): Promise<Answer> {
  try {
    const { next, enabled } = await unwrap(api.GET('/api/v1/tasks/{id}/next', { params: { path: { id: task }, query: { count: mostFirings } }, signal }));
    return { task, times: enabled ? next.map(({ at }) => at) : undefined };
  } catch (refusal) {
    if (refusal instanceof ProblemError && refusal.status === 404) return { task, times: undefined };
    throw refusal;
  }
}

/** The firings until the end of the range that are no executions yet: all of the tasks that fire first, of others the next one. */
export function useComing(project: string, { end }: Range) {
  const ahead = end > Date.now();
  return useQuery({
    queryKey: ['day', 'coming', project, end],
    enabled: ahead,
    refetchInterval: ahead ? comingEvery : false,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const query = { limit: mostComing, until: new Date(end).toISOString(), project: project || undefined };
      const { items, more } = await unwrap(api.GET('/api/v1/upcoming', { params: { query }, signal }));
      return comingOf(items, more, await Promise.all(tasksToAsk(items).map((task) => askTask(task, signal))), end);
    },
  });
}
