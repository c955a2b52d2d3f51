import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { Page } from '@/api/pages';
import { asShown } from '@/api/shown_state';
import type { Execution, ResolvedLetter, State } from '@/api/types';
import { dismissedAt } from './dismissed';
import { queryOf, type Values } from './list_query';
import { canRetry } from './possible';

function shownPage(page: Page<Execution>): Page<Execution> {
  return { ...page, items: page.items.map((one) => asShown(one)) };
}

// The server wants the values of one parameter with commas between them.
const querySerializer = { array: { style: 'form', explode: false } } as const;

export function useExecutions(filters: Values, after: string | undefined) {
  return useQuery({
    queryKey: ['executions', 'list', filters, after],
    refetchInterval: useLiveInterval(),
    queryFn: async ({ signal }) => shownPage(await unwrap(api.GET('/api/v1/executions', { params: { query: queryOf(filters, after) }, signal, querySerializer }))),
  });
}

/** The shards of an execution; none unless it is a broadcast. Those of one that has ended change only by hand. */
export function useShards({ id: parent, parent: above, ended_at: ended }: Pick<Execution, 'id' | 'parent' | 'ended_at'>) {
  const interval = useLiveInterval();
  return useQuery({
    // Each event of `executions` would have them read again.
    queryKey: ended === null ? ['executions', 'shards', parent] : ['dead_letters', 'shards', parent],
    enabled: above === null,
    refetchInterval: ended === null ? interval : false,
    queryFn: async ({ signal }) => shownPage(await unwrap(api.GET('/api/v1/executions', { params: { query: { parent, limit: 500 } }, signal }))),
  });
}

/** The latest execution of a task that went well, of a shard if a shard is meant; null if the first page has none. */
export function useLastSuccess(task: string, ofShard: boolean) {
  return useQuery({
    // Of no topic: a comparison with one that was the last a minute ago is as good.
    queryKey: ['last_success', task, ofShard],
    staleTime: 60000,
    queryFn: async ({ signal }) => {
      const query = { task, state: ['succeeded' as const], planned: false, limit: 20 };
      const { items } = await unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer }));
      return items.find(({ parent }) => (parent !== null) === ofShard) ?? null;
    },
  });
}

/** The newest execution that runs this one again; null if there is none. */
export function useRerunOf(one: Pick<Execution, 'id' | 'task' | 'state' | 'parent' | 'shard_total' | 'scheduled_at'>) {
  return useQuery({
    queryKey: ['executions', 'rerun_of', one.id],
    enabled: canRetry(one),
    placeholderData: undefined, // the data of another execution would be wrong
    refetchInterval: useLiveInterval(),
    queryFn: async ({ signal }) => {
      // The execution that runs it again has the same scheduled time.
      const until = new Date(Date.parse(one.scheduled_at) + 1).toISOString();
      const query = { task: one.task, cause: ['rerun' as const], planned: false, from: one.scheduled_at, until, limit: 500 };
      const { items } = await unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer }));
      const found = items.find(({ rerun_of: of }) => of === one.id);
      return found ? asShown(found) : null;
    },
  });
}

/** When a dead letter was dismissed; null if it was not. The list has no filter for one execution, so those of its task are read, the latest first. */
export function useDismissedAt(one: Pick<Execution, 'id' | 'task' | 'state' | 'parent' | 'shard_total' | 'ended_at'>) {
  return useQuery({
    queryKey: ['dead_letters', 'dismissed', one.id],
    enabled: canRetry(one),
    placeholderData: undefined,
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => dismissedAt(one, async (after) => {
      const query = { task: one.task, broadcast: one.parent ?? undefined, resolution: 'dismissed' as const, limit: 500, after };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    }),
  });
}

/** Executions of the same task: those under way, and the number of waiting ones that are scheduled before this one. */
export function useAhead({ id, task, scheduled_at: until }: Pick<Execution, 'id' | 'task' | 'scheduled_at'>) {
  return useQuery({
    queryKey: ['executions', 'ahead', id],
    placeholderData: undefined,
    refetchInterval: useLiveInterval(),
    queryFn: async ({ signal }) => {
      const read = (query: { state: State[]; until?: string; limit: number }) =>
        unwrap(api.GET('/api/v1/executions', { params: { query: { task, planned: false, ...query } }, signal, querySerializer }));
      const [running, before] = await Promise.all([read({ state: ['running', 'stopping', 'retrying'], limit: 5 }), read({ state: ['waiting'], until, limit: 100 })]);
      return { running: running.items, before: before.items.length, more: before.next !== null };
    },
  });
}

/** The names of nodes by their incarnations, with which the ledger names them. */
export function useNodeNames(): Map<string, string> {
  const { data } = useQuery({
    queryKey: ['nodes', 'names'],
    staleTime: 60000,
    queryFn: async ({ signal }) => {
      const { items } = await unwrap(api.GET('/api/v1/nodes', { signal }));
      return new Map(items.map(({ incarnation, name }) => [incarnation, name]));
    },
  });
  return data ?? new Map<string, string>();
}

/** The task of an execution, for its payload and its zone; it may be deleted since. */
export function useTaskOf(id: string, enabled = true) {
  return useQuery({
    queryKey: ['tasks', 'one', id],
    enabled,
    retry: false,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}', { params: { path: { id } }, signal })),
  });
}

/** Two versions of a task, as far as they are among its latest hundred. */
export function useTwoVersions(task: string, versions: [number, number]) {
  return useQuery({
    queryKey: ['tasks', 'versions', task, 'two', ...versions],
    enabled: versions[0] !== versions[1],
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const { items } = await unwrap(api.GET('/api/v1/tasks/{id}/versions', { params: { path: { id: task }, query: { limit: 100 } }, signal }));
      return versions.map((wanted) => items.find(({ version }) => version === wanted)?.definition);
    },
  });
}

export function useExecution(id: string) {
  return useQuery({
    queryKey: ['executions', 'one', id],
    placeholderData: undefined,
    refetchInterval: useLiveInterval(),
    queryFn: async ({ signal }) => asShown(await unwrap(api.GET('/api/v1/executions/{id}', { params: { path: { id } }, signal }))),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['executions'] });
    await client.invalidateQueries({ queryKey: ['dead_letters'] });
  };
}

export function useCancel() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/v1/executions/{id}/cancel', { params: { path: { id } } })),
    onSuccess: refresh,
  });
}

/** Runs a dead execution again. `payload` undefined keeps its own. */
export function useRerun() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, payload }: { id: string; payload: unknown }) => {
      const body = { executions: [id], ...(payload === undefined ? {} : { payload }) };
      const answer = await unwrap(api.POST('/api/v1/dead-letters/retry', { body }));
      return answer.items[0];
    },
    onSuccess: refresh,
  });
}

/** Counts a handler that did not return as ended. */
export function useRelease() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/v1/executions/{id}/release', { params: { path: { id } } })),
    onSuccess: refresh,
  });
}

export interface BulkDone {
  done: number;
  refused: { id: string; reason: string }[];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function cancelEach(ids: string[]): Promise<BulkDone> {
  const result: BulkDone = { done: 0, refused: [] };
  for (const id of ids) {
    try {
      await unwrap(api.POST('/api/v1/executions/{id}/cancel', { params: { path: { id } } }));
      result.done += 1;
    } catch (error) {
      result.refused.push({ id, reason: reasonOf(error) });
    }
  }
  return result;
}

/** Cancels several executions, or runs them again. A refusal of one does not stop the others. */
export function useBulk(sayOutcome: (outcome: ResolvedLetter['outcome']) => string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ deed, ids }: { deed: 'cancel' | 'retry'; ids: string[] }): Promise<BulkDone> => {
      if (deed === 'cancel') return cancelEach(ids);
      const { items } = await unwrap(api.POST('/api/v1/dead-letters/retry', { body: { executions: ids } }));
      const refused = items.filter(({ outcome }) => outcome !== 'retried');
      return { done: items.length - refused.length, refused: refused.map(({ execution, outcome }) => ({ id: execution, reason: sayOutcome(outcome) })) };
    },
    onSettled: refresh,
  });
}
