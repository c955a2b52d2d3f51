import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { type Pages, readPages } from '@/api/pages';
import type { Client } from '@/api/types';
import { figuresEvery } from './figures';

export function useServices(project: string, after: string | undefined) {
  return useQuery({
    queryKey: ['services', 'list', project, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/services', { params: { query: { limit: 50, after, project: project || undefined } }, signal })),
  });
}

/** All of them, up to five thousand. */
export function useAllServices(project: string, enabled: boolean) {
  return useQuery({
    queryKey: ['services', 'all', project],
    enabled,
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => readPages((after) => {
      const query = { limit: 500, after, project: project || undefined };
      return unwrap(api.GET('/api/v1/services', { params: { query }, signal }));
    }, 5000),
  });
}

interface Service {
  project: string;
  service: string;
}

function readClients(of: Service | undefined, signal: AbortSignal) {
  return readPages((after) => {
    const query = { limit: 500, after, ...of };
    return unwrap(api.GET('/api/v1/clients', { params: { query }, signal }));
  }, 5000);
}

/** The clients, up to five thousand. */
export function useClients() {
  return useQuery({
    queryKey: ['clients'],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => readClients(undefined, signal),
  });
}

/** The same, of one service or of all, read again as their figures move on. */
export function useClientFigures(of?: Service) {
  return useQuery<Pages<Client>>({
    queryKey: of ? ['clients', 'of_service', of.project, of.service] : ['clients'],
    refetchInterval: ({ state: { data } }) => figuresEvery(data?.items.length ?? 0),
    queryFn: ({ signal }) => readClients(of, signal),
  });
}
