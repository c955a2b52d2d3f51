import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { readPages, readWanted } from '@/api/pages';
import type { Client } from '@/api/types';
import { lookUp, needOf } from './need';
import { type ClientState, isWanted, type Only, stateOf } from './served';

export function useServices(project: string, after: string | undefined, enabled = true) {
  return useQuery({
    queryKey: ['services', 'list', project, after],
    enabled,
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/services', { params: { query: { limit: 50, after, project: project || undefined } }, signal })),
  });
}

/** The services among the first five thousand that match a filter. Their clients change without an event of topic `services`. */
export function useChosenServices(project: string, only: Only | undefined) {
  return useQuery({
    queryKey: ['services', 'chosen', project, only],
    enabled: only !== undefined,
    refetchInterval: 10000,
    queryFn: async ({ signal }) => {
      const { items, more } = await readPages((after) => {
        const query = { limit: 500, after, project: project || undefined };
        return unwrap(api.GET('/api/v1/services', { params: { query }, signal }));
      }, 5000);
      return { items: items.filter((one) => only !== undefined && isWanted(one, only)), more };
    },
  });
}

const pageSize = 100;

/** A page of the clients of a service, with their figures, which change without an event. `state`: only clients in this state. */
export function useServiceClients(project: string, service: string, state: ClientState | undefined, after: string | undefined) {
  return useQuery({
    queryKey: ['clients', 'of_service', project, service, state, after],
    // A search reads up to ten pages of five hundred.
    refetchInterval: state === undefined ? 5000 : 15000,
    queryFn: ({ signal }) => {
      const read = (limit: number, from: string | undefined) => unwrap(api.GET('/api/v1/clients', { params: { query: { limit, after: from, project, service } }, signal }));
      if (state === undefined) return read(pageSize, after);
      return readWanted<Client>((from) => read(500, from), (one) => stateOf(one) === state, after, pageSize);
    },
  });
}

/** Whether the services of a project, or of all, have clients: among the first 500, in one request for a whole list of tasks. */
export function useServed(project: string) {
  return useQuery({
    queryKey: ['clients', 'served', project],
    refetchInterval: 60000,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/services', { params: { query: { limit: 500, project: project || undefined } }, signal })),
    select: ({ items }) => lookUp(items),
  });
}

/** The reason why no client can run a handler; `null` if one can. */
export function useNeed(project: string, service: string, handler: string) {
  return useQuery({
    queryKey: ['clients', 'first_of', project, service],
    refetchInterval: 15000,
    placeholderData: undefined,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/clients', { params: { query: { limit: 100, project, service } }, signal })),
    select: ({ items, next }) => needOf(items, handler, next === null) ?? null,
  });
}
