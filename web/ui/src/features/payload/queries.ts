import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { ProblemError } from '@/api/problem';
import type { components } from '@/api/schema.gen';
import { rounded } from '@/shared/exact_json';

export type Handler = components['schemas']['Handler'];

/** Which handler gets a payload. */
export interface Target {
  project: string;
  service: string;
  handler: string;
}

export function targetOf({ project = 'default', service, handler }: { project?: string; service: string; handler: string }): Target {
  return { project, service, handler };
}

/** The handlers that the clients of a service announce; none without a service. */
export function useHandlers(project: string, service: string) {
  return useQuery({
    queryKey: ['clients', 'handlers', project, service],
    enabled: project !== '' && service !== '',
    staleTime: 5000,
    placeholderData: undefined,
    retry: false,
    queryFn: async ({ signal }): Promise<Handler[]> => {
      try {
        const { items } = await unwrap(api.GET('/api/v1/services/{project}/{service}/handlers', { params: { path: { project, service } }, signal }));
        return rounded(items) as Handler[];
      } catch (refusal) {
        // Neither a client nor a task names this service yet.
        if (refusal instanceof ProblemError && refusal.status === 404) return [];
        throw refusal;
      }
    },
  });
}

/** The handler of a task; undefined without a task, and for one that is deleted. */
export function useTargetOf(id: string): Target | undefined {
  const { data } = useQuery({
    queryKey: ['tasks', 'one', id],
    enabled: id !== '',
    retry: false,
    placeholderData: undefined,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}', { params: { path: { id } }, signal })),
  });
  return data && targetOf(data);
}

export function useHandler(target: Target | undefined): Handler | undefined {
  return useHandlers(target?.project ?? '', target?.service ?? '').data?.find(({ handler }) => handler === target?.handler);
}
