import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';

// The ages of heartbeats move on without an event.
const agesEvery = 5000;

export function useNodes() {
  return useQuery({
    queryKey: ['nodes'],
    refetchInterval: agesEvery,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/nodes', { signal })),
  });
}

export function useTerms(after: string | undefined) {
  return useQuery({
    queryKey: ['terms', after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/terms', { params: { query: { limit: 20, after } }, signal })),
  });
}

export function useZoneVersions() {
  return useQuery({
    queryKey: ['zones'],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/zones', { signal })),
  });
}
