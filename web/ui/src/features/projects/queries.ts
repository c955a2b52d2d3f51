import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';

export function useProjects(after: string | undefined) {
  return useQuery({
    queryKey: ['services', 'projects', after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/projects', { params: { query: { limit: 50, after } }, signal })),
  });
}
