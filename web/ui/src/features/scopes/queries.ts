import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { Scope } from '@/api/scopes';
import { openOf } from './open';

/** The executions of a service or project that are under way, among the 500 executions that were scheduled last. */
export function useOpen({ project, service }: Scope) {
  return useQuery({
    queryKey: ['executions', 'open_of', project, service],
    refetchInterval: useLiveInterval(),
    placeholderData: undefined,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/executions', { params: { query: { limit: 500, open: true, planned: false, project, service } }, signal })),
    select: ({ items, next }) => openOf(items, next !== null),
  });
}
