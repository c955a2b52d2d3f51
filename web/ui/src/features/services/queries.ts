import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { readPages } from '@/api/pages';

export function useServices(project: string, after: string | undefined) {
  return useQuery({
    queryKey: ['services', 'list', project, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/services', { params: { query: { limit: 50, after, project: project || undefined } }, signal })),
  });
}

/** All of them, up to five thousand. */
export function useAllServices(project: string, enabled: boolean) {
  return useQuery({
    queryKey: ['services', 'all', project],
    enabled,
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => readPages((after) => {
      const query = { limit: 500, after, project: project || undefined };
      return unwrap(api.GET('/api/v1/services', { params: { query }, signal }));
    }, 5000),
  });
}

export function useClients() {
  return useQuery({
    queryKey: ['clients'],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/clients', { signal })),
  });
}
