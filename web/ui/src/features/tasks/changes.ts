import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap, versionTag } from '@/api/client';
import type { Definition, Task } from '@/api/types';
import { type BulkResult, oneByOne } from '@/shared/bulk';
import { randomKey } from '@/shared/random_key';

export type Action = 'enable' | 'disable' | 'delete';

type Known = Pick<Task, 'id' | 'version'>;

function act(action: Action, { id = '', version }: Known): Promise<unknown> {
  const params = { path: { id }, header: { 'If-Match': versionTag(version) } };
  if (action === 'enable') return unwrap(api.POST('/api/v1/tasks/{id}/enable', { params }));
  if (action === 'disable') return unwrap(api.POST('/api/v1/tasks/{id}/disable', { params }));
  return unwrap(api.DELETE('/api/v1/tasks/{id}', { params }));
}

function useRefresh() {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['tasks'] });
    await client.invalidateQueries({ queryKey: ['executions'] });
  };
}

/** The same change for several tasks, one after the other. A refusal of one does not stop the others. */
export function useBulkAction() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ action, tasks }: { action: Action; tasks: Task[] }): Promise<BulkResult> =>
      oneByOne(tasks, ({ name }) => name, (task) => act(action, task)),
    onSettled: refresh,
  });
}

export function useAction() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ action, task }: { action: Action; task: Known }) => act(action, task),
    // The page of a deleted task leaves before anything is read again: it would ask for what is gone.
    onSuccess: (_, { action }) => {
      if (action === 'delete') setTimeout(() => void refresh(), 500);
      else return refresh();
      return undefined;
    },
  });
}

/** Runs the task now. `payload` undefined runs it with its own. */
export function useRun() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, payload, force }: { id: string; payload: unknown; force: boolean }) => {
      const body = { ...(payload === undefined ? {} : { payload }), ...(force ? { force } : {}) };
      const params = { path: { id }, header: { 'Idempotency-Key': randomKey() }, query: { allow_unserved: true } };
      return unwrap(api.POST('/api/v1/tasks/{id}/run', { params, body }));
    },
    onSuccess: refresh,
  });
}

/** Makes an older definition the present one again, as a new version. */
export function useRollback() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ task, definition }: { task: Known; definition: Definition }) => {
      const params = { path: { id: task.id ?? '' }, header: { 'If-Match': versionTag(task.version) }, query: { allow_unserved: true } };
      return unwrap(api.PUT('/api/v1/tasks/{id}', { params, body: definition }));
    },
    onSuccess: refresh,
  });
}

/** Registers a task, or replaces the definition of one that nobody has changed since it was read. */
export function useSave() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ definition: body, task }: { definition: Definition; task?: Known }) => {
      const query = { allow_unserved: true };
      if (!task) return unwrap(api.POST('/api/v1/tasks', { params: { query }, body }));
      const params = { path: { id: task.id ?? '' }, header: { 'If-Match': versionTag(task.version) }, query };
      return unwrap(api.PUT('/api/v1/tasks/{id}', { params, body }));
    },
    onSuccess: refresh,
  });
}

/** Skips the next firings, from the one that the page showed on, so that a repetition skips no further one. */
export function useSkip() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ task, count, expected, by, reason }: { task: Known; count: number; expected: string; by: string; reason: string }) => {
      const params = { path: { id: task.id ?? '' }, header: { 'If-Match': versionTag(task.version) } };
      const body = { count, expected, ...(by ? { by } : {}), ...(reason ? { reason } : {}) };
      return unwrap(api.POST('/api/v1/tasks/{id}/skip-next', { params, body }));
    },
    onSuccess: refresh,
  });
}

/** Takes the skip of one firing back. */
export function useRestore() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ task, firing }: { task: Known; firing: string }) => {
      const params = { path: { id: task.id ?? '' }, header: { 'If-Match': versionTag(task.version) }, query: { expected: firing } };
      return unwrap(api.DELETE('/api/v1/tasks/{id}/skip-next', { params }));
    },
    onSuccess: refresh,
  });
}
