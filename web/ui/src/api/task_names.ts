import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** The first tasks whose names have `part` in them, for a field to choose from. */
export function useTaskNames(project: string, part: string, enabled = true) {
  return useQuery({
    queryKey: ['tasks', 'names', project, part],
    enabled,
    staleTime: 30000,
    queryFn: async ({ signal }) => {
      const query = { limit: 20, name: part || undefined, project: project || undefined };
      const { items } = await unwrap(api.GET('/api/v1/tasks', { params: { query }, signal }));
      return items.map(({ id = '', name, project: of = '' }) => ({ id, name, project: of }));
    },
  });
}

/** The name of one task. A deleted one has none here. */
export function useTaskName(id: string) {
  return useQuery({
    queryKey: ['tasks', 'name', id],
    enabled: id !== '',
    placeholderData: undefined, // the name of another task would be wrong
    staleTime: 30000,
    retry: false,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/v1/tasks/{id}', { params: { path: { id } }, signal }))).name,
  });
}
