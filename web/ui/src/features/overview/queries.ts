import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { components } from '@/api/schema.gen';

export type Overview = components['schemas']['Overview'];

// The server makes an answer at most every two seconds, for all pages that ask. The counts move on without an event.
const readEvery = 5000;

/** All that the page shows, in one answer. `project` restricts all but the nodes and the counts; '' is all projects. */
export function overviewOf(project: string) {
  return queryOptions({
    queryKey: ['overview', project],
    refetchInterval: readEvery,
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/overview', { params: { query: { project: project || undefined } }, signal })),
  });
}

export function useOverview(project: string) {
  return useQuery(overviewOf(project));
}
