import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { offered } from '@/api/offered';
import type { ScheduleKind } from '@/api/types';

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
        ...(offered.listTasks.text && filters.text ? { text: filters.text } : {}),
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

export function useNextFirings(id: string, version: number | undefined) {
  return useQuery({
    queryKey: ['tasks', 'next', id, version],
    enabled: version !== undefined,
    refetchInterval: 10000,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}/next', { params: { path: { id }, query: { count: 10 } }, signal })),
  });
}

export function useVersions(id: string, after: string | undefined) {
  return useQuery({
    queryKey: ['tasks', 'versions', id, after],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tasks/{id}/versions', { params: { path: { id }, query: { limit: 20, after } }, signal })),
  });
}

export function useLastExecutions(task: string) {
  return useQuery({
    queryKey: ['executions', 'of-task', task],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/executions', { params: { query: { task, planned: false, limit: 20 } }, signal })),
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
