import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap, versionTag } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { operations } from '@/api/schema.gen';
import type { Calendar } from '@/api/types';

export type CalendarVersion = operations['listCalendarVersions']['responses'][200]['content']['application/json']['items'][number];

export function useCalendars(project: string, after: string | undefined) {
  return useQuery({
    queryKey: ['calendars', 'list', project, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/calendars', { params: { query: { limit: 50, after, project: project || undefined } }, signal })),
  });
}

export function useCalendar(id: string) {
  return useQuery({
    queryKey: ['calendars', 'one', id],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/calendars/{id}', { params: { path: { id } }, signal })),
  });
}

export function useCalendarVersions(id: string) {
  return useQuery({
    queryKey: ['calendars', 'versions', id],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/calendars/{id}/versions', { params: { path: { id }, query: { limit: 20 } }, signal })),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['calendars'] });
    await client.invalidateQueries({ queryKey: ['tasks'] });
  };
}

export function useCreateCalendar() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (body: Calendar) => unwrap(api.POST('/api/v1/calendars', { body })), onSuccess: refresh });
}

export function useReplaceCalendar(id: string, version: number) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: Calendar) =>
      unwrap(api.PUT('/api/v1/calendars/{id}', { params: { path: { id }, header: { 'If-Match': versionTag(version) } }, body })),
    onSuccess: refresh,
  });
}

export function useDeleteCalendar(id: string, version: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/v1/calendars/{id}', { params: { path: { id }, header: { 'If-Match': versionTag(version) } } })),
    // The calendar's own page, which is left now, must not ask for it again.
    onSuccess: () => client.invalidateQueries({ queryKey: ['calendars', 'list'] }),
  });
}
