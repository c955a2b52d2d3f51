import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { readPages } from '@/api/pages';
import { type Firing, nextFirings, untilNext } from './firings';

const hour = 3600000;
const minute = 60000;

/** The counts of the whole cluster. The master counts every few seconds, so events would not tell of them. */
export function useOverview() {
  return useQuery({
    queryKey: ['overview'],
    refetchInterval: 10000,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/overview', { signal })),
  });
}

export function useOpenLetters(project: string) {
  return useQuery({
    queryKey: ['dead_letters', 'count', project],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => readPages((after) => {
      const query = { limit: 500, after, resolution: 'open' as const, project: project || undefined };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    }, 500),
  });
}

/**
 * Executions of the last hour that failed or timed out. Each of them is a dead letter, so the events of these tell of it
 * without an answer for each execution that goes well. `from` is the beginning of the hour, for the list.
 */
export function useFailures(project: string) {
  const interval = useLiveInterval();
  return useQuery({
    queryKey: ['dead_letters', 'failed_executions', project],
    refetchInterval: interval === false ? minute : interval,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - hour).toISOString();
      const pages = await readPages((after) => {
        const query = { limit: 500, after, from, state: ['failed' as const, 'timed_out' as const], planned: false, project: project || undefined };
        return unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer: { array: { style: 'form', explode: false } } }));
      }, 500, 4);
      return { ...pages, from };
    },
  });
}

const mostTasks = 500;

interface Coming {
  tasks: number;
  firings: Firing[];
}

/**
 * What is due next, and how many tasks there are. Of up to 500 tasks the next firings are compared; of more, only what is
 * planned for the next seconds is known.
 */
export function useComing(project: string) {
  return useQuery<Coming>({
    // Not under ['tasks', 'list'], which each execution makes stale: five hundred tasks are too much to read so often.
    queryKey: ['tasks', 'coming', project],
    refetchInterval: ({ state: { data } }) => untilNext(data?.firings[0]?.at, Date.now()),
    queryFn: async ({ signal }) => {
      const { items: tasks, next } = await unwrap(api.GET('/api/v1/tasks', { params: { query: { limit: mostTasks, project: project || undefined } }, signal }));
      if (next === null) return { tasks: tasks.length, firings: nextFirings(tasks) };
      const query = { limit: 8, planned: true, project: project || undefined };
      const { items } = await unwrap(api.GET('/api/v1/executions', { params: { query }, signal }));
      return { tasks: tasks.length, firings: items.map((one) => ({ task: one.task, name: one.task_name ?? one.task, project: one.project, at: one.scheduled_at })) };
    },
  });
}
