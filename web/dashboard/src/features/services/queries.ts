import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';

export function useServices(project: string, after: string | undefined) {
  return useQuery({
    queryKey: ['services', 'list', project, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/services', { params: { query: { limit: 50, after, project: project || undefined } }, signal })),
  });
}

export function useClients() {
  return useQuery({
    queryKey: ['clients'],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/clients', { signal })),
  });
}
