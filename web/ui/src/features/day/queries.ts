import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { type Page, readPages } from '@/api/pages';
import { ProblemError } from '@/api/problem';
import { asShown } from '@/api/shown_state';
import type { Execution, State } from '@/api/types';
import { type Answer, comingOf, mostFirings, tasksToAsk } from './further';
import type { Range } from './range';
import { rerunsBefore } from './reruns';
import { type Shown, withFailures } from './shown';

export const mostBars = 2000;

// Several pages of executions are too much to read for each event, so this key is of no topic.
const presentEvery = 15000;

// The server wants the values of one parameter with commas between them.
const querySerializer = { array: { style: 'form', explode: false } } as const;
const mostReruns = 500;

type Query = { from: string; until: string; project: string | undefined; state?: State[]; cause?: Execution['cause'][] };

async function readPage(query: Query, after: string | undefined, signal: AbortSignal): Promise<Page<Execution>> {
  const page = await unwrap(api.GET('/api/v1/executions', { params: { query: { limit: 500, after, ...query } }, signal, querySerializer }));
  return { ...page, items: page.items.map((one) => asShown(one)) };
}

/** Those that ran in the range because an execution from before it failed and was run again. The retried dead letters tell when that was. */
async function readReruns(project: string | undefined, range: Range, signal: AbortSignal): Promise<Execution[]> {
  if (range.begin > Date.now()) return [];
  const { items: retried } = await unwrap(api.GET('/api/v1/dead-letters', { params: { query: { resolution: 'retried', limit: mostReruns, project } }, signal }));
  const scheduled = rerunsBefore(retried, range);
  if (!scheduled) return [];
  return (await readPages((after) => readPage({ ...scheduled, project, cause: ['rerun'] }, after, signal), mostReruns, 3)).items;
}

/** The executions that were scheduled in the range: the latest `mostBars` of them, and of the others those that failed. With those that ran again in it. */
export function useExecutionsOf(project: string, range: Range) {
  const { begin, end } = range;
  const present = begin <= Date.now() && Date.now() < end;
  return useQuery({
    queryKey: ['day', project, begin, end],
    refetchInterval: present ? presentEvery : false,
    placeholderData: undefined,
    queryFn: async ({ signal }): Promise<Shown> => {
      const of = { from: new Date(begin).toISOString(), project: project || undefined };
      const read = (until: string, state?: State[]) => readPages((after) => readPage({ ...of, until, ...(state ? { state } : {}) }, after, signal), mostBars);
      const [latest, reruns] = await Promise.all([read(new Date(end).toISOString()), readReruns(of.project, range, signal)]);
      const allFrom = latest.more ? latest.items.at(-1)?.scheduled_at : undefined;
      const shown = withFailures(latest, allFrom === undefined ? undefined : await read(new Date(Date.parse(allFrom) + 1).toISOString(), ['failed', 'timed_out']));
      return { ...shown, items: [...shown.items, ...reruns] };
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
