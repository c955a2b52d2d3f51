import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap, versionTag } from '@/api/client';
import type { Scope } from '@/api/scopes';
import type { ServiceSettings, Task } from '@/api/types';
import { type BulkResult, oneByOne } from '@/shared/bulk';
import { type Change, changeOf } from './apply_defaults';

/** A task that the present defaults change. */
export interface Planned {
  task: Task;
  change: Change;
}

async function readTasks(scope: Scope, signal: AbortSignal): Promise<Task[]> {
  const tasks: Task[] = [];
  let cursor: string | undefined;
  do {
    const query = { project: scope.project, limit: 500, ...(scope.service === undefined ? {} : { service: scope.service }), ...(cursor ? { cursor } : {}) };
    const page = await unwrap(api.GET('/api/v1/tasks', { params: { query }, signal }));
    tasks.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor);
  return tasks;
}

const defaultsIn = (answer: { settings?: ServiceSettings }) => answer.settings?.defaults ?? {};

/** The tasks of the scope that its present defaults change. Read anew each time it is asked. */
export function usePlanned(scope: Scope) {
  return useQuery({
    queryKey: ['services', 'apply_defaults', scope.project, scope.service],
    gcTime: 0,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Planned[]> => {
      const { project } = scope;
      const ofProject = defaultsIn(await unwrap(api.GET('/api/v1/projects/{project}/settings', { params: { path: { project } }, signal })));
      const tasks = await readTasks(scope, signal);
      const ofServices = new Map<string, NonNullable<ServiceSettings['defaults']>>();
      for (const service of new Set(tasks.map((task) => task.service)))
        ofServices.set(service, defaultsIn(await unwrap(api.GET('/api/v1/services/{project}/{service}/settings', { params: { path: { project, service } }, signal }))));
      return tasks.flatMap((task) => {
        const change = changeOf(task, { project: ofProject, service: ofServices.get(task.service) ?? {} });
        return change ? [{ task, change }] : [];
      });
    },
  });
}

/** Changes the tasks one after the other. A refusal of one does not stop the others. */
export function useApply() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (planned: Planned[]): Promise<BulkResult> =>
      oneByOne(planned, ({ task }) => task.name, ({ task, change }) => {
        const params = { path: { id: task.id ?? '' }, header: { 'If-Match': versionTag(task.version) } };
        return unwrap(api.PATCH('/api/v1/tasks/{id}', { params, body: change.patch as never }));
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['tasks'] }),
  });
}
