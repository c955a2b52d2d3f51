import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { asShown } from '@/api/shown_state';
import type { Schedule, ScheduleKind } from '@/api/types';


export interface TaskFilters {
  text: string;
  project: string;
  name: string;
  service: string;
  owner: string;
  kind: string;
  enabled: string;
  label: string;
}

export function useTasks(filters: TaskFilters, after: string | undefined) {
  return useQuery({
    queryKey: ['tasks', 'list', filters, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const query = {
        limit: 50,
        after,
        project: filters.project || undefined,
        name: filters.name || undefined,
        text: filters.text || undefined,
        service: filters.service || undefined,
        owner: filters.owner || undefined,
        label: filters.label || undefined,
        kind: (filters.kind || undefined) as ScheduleKind | undefined,
        enabled: filters.enabled === '' ? undefined : filters.enabled === 'true',
      };
      return unwrap(api.GET('/api/v1/tasks', { params: { query }, signal }));
    },
  });
}

export function useTask(id: string) {
  return useQuery({
    queryKey: ['tasks', 'one', id],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}', { params: { path: { id } }, signal })),
  });
}

export function useNextFirings(id: string, version: number | undefined, count: number) {
  return useQuery({
    queryKey: ['tasks', 'next', id, version, count],
    enabled: version !== undefined,
    refetchInterval: 10000,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}/next', { params: { path: { id }, query: { count } }, signal })),
  });
}

export function useSkippedRanges(id: string) {
  return useQuery({
    queryKey: ['tasks', 'skipped', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}/skipped', { params: { path: { id }, query: { limit: 10 } }, signal })),
  });
}

/** How long it runs: the medians of the last ten runs and of those before. */
export function useRunTimes(id: string) {
  return useQuery({
    queryKey: ['tasks', 'run_times', id],
    refetchInterval: 30000,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}/run-times', { params: { path: { id } }, signal })),
  });
}

/** The versions, the newest first, page by page. */
export function useVersions(id: string) {
  return useInfiniteQuery({
    queryKey: ['tasks', 'versions', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => unwrap(api.GET('/api/v1/tasks/{id}/versions', { params: { path: { id }, query: { limit: 20, after: pageParam } }, signal })),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

export function useLastExecutions(task: string) {
  return useQuery({
    queryKey: ['executions', 'of-task', task],
    refetchInterval: useLiveInterval(),
    queryFn: async ({ signal }) => {
      const page = await unwrap(api.GET('/api/v1/executions', { params: { query: { task, planned: false, limit: 100 } }, signal }));
      return { ...page, items: page.items.map((one) => asShown(one)) };
    },
  });
}

/** The deleted tasks that had exactly this name in a project; without a project in `default`. */
export function useDeletedTasks(name: string, project: string) {
  return useQuery({
    queryKey: ['tasks', 'deleted', name, project],
    enabled: name !== '',
    placeholderData: undefined,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/deleted-tasks', { params: { query: { name, project: project || undefined, limit: 10 } }, signal })),
  });
}

/** The calendars of a project, with their days. */
export function useCalendars(project: string) {
  return useQuery({
    queryKey: ['calendars', 'of_project', project],
    enabled: project !== '',
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/v1/calendars', { params: { query: { project, limit: 200 } }, signal }))).items,
  });
}

/** The names of the first 500 services of a project, to choose one from. */
export function useServiceNames(project: string) {
  return useQuery({
    queryKey: ['services', 'names', project],
    enabled: project !== '',
    staleTime: 30000,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/v1/services', { params: { query: { project, limit: 500 } }, signal }))).items.map(({ service }) => service),
  });
}

/** The defaults that a task of the service takes: those of the service go before those of its project. */
export function useTaskDefaults(project: string, service: string) {
  return useQuery({
    queryKey: ['services', 'task_defaults', project, service],
    enabled: project !== '' && service !== '',
    queryFn: async ({ signal }) => {
      const [ofProject, ofService] = await Promise.all([
        unwrap(api.GET('/api/v1/projects/{project}/settings', { params: { path: { project } }, signal })),
        unwrap(api.GET('/api/v1/services/{project}/{service}/settings', { params: { path: { project, service } }, signal })),
      ]);
      const own = ofService.settings?.defaults ?? {};
      // A route goes with its routing.
      const { route: _, ...unrouted } = ofProject.settings?.defaults ?? {};
      return own.routing === undefined ? { ...ofProject.settings?.defaults, ...own } : { ...unrouted, ...own };
    },
  });
}

/** The question about a schedule that is not saved yet. `service`: its default is the zone; `task`: the one that is edited. */
export interface PreviewRequest { schedule: Schedule; project: string; name: string; service: string; task?: string | undefined; count: number }

/** A schedule that is not saved yet: checked as a save would, with its next firings. `asked`: JSON of a PreviewRequest. */
export function useSchedulePreview(asked: string, enabled: boolean) {
  return useQuery({
    // A change of a calendar makes it stale.
    queryKey: ['calendars', 'schedule_preview', asked],
    enabled,
    retry: false,
    staleTime: 30_000,
    placeholderData: enabled ? keepPreviousData : undefined,
    queryFn: ({ signal }) => {
      const { schedule, project, name, service, task, count } = JSON.parse(asked) as PreviewRequest;
      const body = { schedule, project: project || 'default', ...(name ? { name } : {}), ...(service ? { service } : {}), ...(task ? { task } : {}), count };
      return unwrap(api.POST('/api/v1/schedules/preview', { body, signal }));
    },
  });
}
