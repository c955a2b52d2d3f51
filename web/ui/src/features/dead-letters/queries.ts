import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { DeadLetter, ResolvedLetter } from '@/api/types';

export type Resolution = DeadLetter['resolution'];

export interface LetterFilters {
  project: string;
  task: string;
  /** Only the shards of this one. */
  broadcast: string;
  service: string;
  error: string;
  resolution: Resolution;
}

export function useDeadLetters(filters: LetterFilters, after: string | undefined) {
  return useQuery({
    queryKey: ['dead_letters', filters, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const { project, task, broadcast, service, error, resolution } = filters;
      const query = {
        limit: 50, after, resolution, project: project || undefined, task: task || undefined, broadcast: broadcast || undefined,
        service: service || undefined, error: error || undefined,
      };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    },
  });
}

export type Resolve = 'retry' | 'dismiss';

/** These dead letters, or the open ones of a broadcast, of a task, of a project, or all. */
export type Letters = { executions: string[] } | { broadcast: string } | { task: string } | { project: string } | { all: true };

export interface Resolved {
  items: ResolvedLetter[];
  /** The server did as many as it does at a time. */
  more: boolean;
}

export interface Request {
  how: Resolve;
  of: Letters;
  /** Undefined: each runs with its own. */
  payload?: unknown;
}

/** Runs dead letters again, or takes them off the list. Those that die from now on are not meant. */
export function useResolve() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ how, of, payload }: Request): Promise<Resolved> => {
      const letters = 'executions' in of ? of : { ...of, before: new Date().toISOString() };
      if (how === 'dismiss') return unwrap(api.POST('/api/v1/dead-letters/dismiss', { body: letters }));
      const body = payload === undefined ? letters : { ...letters, payload };
      return unwrap(api.POST('/api/v1/dead-letters/retry', { body }));
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['dead_letters'] });
      await client.invalidateQueries({ queryKey: ['executions'] });
    },
  });
}
