import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** The names for the switch in the header: the first 500. */
export function useProjectNames() {
  return useQuery({
    queryKey: ['services', 'project_names'],
    staleTime: 60000,
    queryFn: async ({ signal }) => {
      const page = await unwrap(api.GET('/api/v1/projects', { params: { query: { limit: 500 } }, signal }));
      return page.items.map(({ project }) => project);
    },
  });
}
