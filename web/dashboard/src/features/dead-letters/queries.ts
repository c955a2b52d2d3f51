import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { DeadLetter, ResolvedLetter } from '@/api/types';

export type Resolution = DeadLetter['resolution'];

export function useDeadLetters(project: string, task: string, resolution: Resolution, after: string | undefined) {
  return useQuery({
    queryKey: ['dead_letters', project, task, resolution, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const query = { limit: 50, after, resolution, project: project || undefined, task: task || undefined };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    },
  });
}

export type Resolve = 'retry' | 'dismiss';

/** Runs the chosen dead letters again, or takes them off the list. */
export function useResolve() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ how, executions }: { how: Resolve; executions: string[] }): Promise<ResolvedLetter[]> => {
      const body = { executions };
      const answer = how === 'retry'
        ? await unwrap(api.POST('/api/v1/dead-letters/retry', { body }))
        : await unwrap(api.POST('/api/v1/dead-letters/dismiss', { body }));
      return answer.items;
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['dead_letters'] });
      await client.invalidateQueries({ queryKey: ['executions'] });
    },
  });
}
