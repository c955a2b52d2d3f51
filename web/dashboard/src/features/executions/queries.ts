import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { State } from '@/api/types';

export interface ExecutionFilters {
  project: string;
  task: string;
  state: string;
  planned: string;
  parent: string;
  /** Times as RFC 3339 has them. */
  from: string;
  until: string;
}

export function useExecutions(filters: ExecutionFilters, after: string | undefined) {
  return useQuery({
    queryKey: ['executions', 'list', filters, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const query = {
        limit: 50,
        after,
        project: filters.project || undefined,
        task: filters.task || undefined,
        parent: filters.parent || undefined,
        from: filters.from || undefined,
        until: filters.until || undefined,
        state: filters.state ? (filters.state.split(',') as State[]) : undefined,
        planned: filters.planned === 'true',
      };
      // The server wants the states of one parameter with commas between them.
      return unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer: { array: { style: 'form', explode: false } } }));
    },
  });
}

export function useExecution(id: string) {
  return useQuery({
    queryKey: ['executions', 'one', id],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/executions/{id}', { params: { path: { id } }, signal })),
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
