import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from './client';
import { useLiveInterval } from './live';
import type { NewPause, ServiceSettings } from './types';

/** A service, or a whole project: both can be paused, and both have settings. */
export type Scope = { project: string; service?: undefined } | { project: string; service: string };

function read(scope: Scope, signal: AbortSignal) {
  return scope.service === undefined
    ? unwrap(api.GET('/api/v1/projects/{project}', { params: { path: scope }, signal }))
    : unwrap(api.GET('/api/v1/services/{project}/{service}', { params: { path: scope }, signal }));
}

function readSettings(scope: Scope, signal: AbortSignal) {
  return scope.service === undefined
    ? unwrap(api.GET('/api/v1/projects/{project}/settings', { params: { path: scope }, signal }))
    : unwrap(api.GET('/api/v1/services/{project}/{service}/settings', { params: { path: scope }, signal }));
}

export function useScope(scope: Scope) {
  return useQuery({
    queryKey: ['services', 'one', scope.project, scope.service],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => read(scope, signal),
  });
}

export function useSettings(scope: Scope) {
  return useQuery({
    queryKey: ['services', 'settings', scope.project, scope.service],
    queryFn: ({ signal }) => readSettings(scope, signal),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return async () => {
    for (const name of ['services', 'tasks']) await client.invalidateQueries({ queryKey: [name] });
  };
}

export function usePause(scope: Scope) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: NewPause) =>
      scope.service === undefined
        ? unwrap(api.POST('/api/v1/projects/{project}/pause', { params: { path: scope }, body }))
        : unwrap(api.POST('/api/v1/services/{project}/{service}/pause', { params: { path: scope }, body })),
    onSuccess: refresh,
  });
}

export function useResume(scope: Scope) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: { by?: string }) =>
      scope.service === undefined
        ? unwrap(api.POST('/api/v1/projects/{project}/resume', { params: { path: scope }, body }))
        : unwrap(api.POST('/api/v1/services/{project}/{service}/resume', { params: { path: scope }, body })),
    onSuccess: refresh,
  });
}

/** Replaces the settings, unless somebody changed them since they were read. `tag` null: nobody had set any. */
export function useChangeSettings(scope: Scope) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ settings: body, tag }: { settings: ServiceSettings; tag: string | null }) => {
      const header = tag === null ? {} : { 'If-Match': tag };
      return scope.service === undefined
        ? unwrap(api.PUT('/api/v1/projects/{project}/settings', { params: { path: scope, header }, body }))
        : unwrap(api.PUT('/api/v1/services/{project}/{service}/settings', { params: { path: scope, header }, body }));
    },
    onSuccess: refresh,
  });
}
