import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { readPages } from '@/api/pages';
import { asShown } from '@/api/shown_state';
import type { State } from '@/api/types';
import type { Range } from './range';
import { withFailures } from './shown';

export const mostBars = 2000;

// Several pages of executions are too much to read for each event, so this key is of no topic.
const presentEvery = 15000;

/** The executions that were scheduled in the range: the latest `mostBars` of them, and of the others those that failed. */
export function useExecutionsOf(project: string, { begin, end }: Range) {
  const present = begin <= Date.now() && Date.now() < end;
  return useQuery({
    queryKey: ['day', project, begin, end],
    refetchInterval: present ? presentEvery : false,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const read = (until: string, state?: State[]) => readPages(async (after) => {
        const query = { limit: 500, after, from: new Date(begin).toISOString(), until, project: project || undefined, state };
        const page = await unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer: { array: { style: 'form', explode: false } } }));
        return { ...page, items: page.items.map((one) => asShown(one)) };
      }, mostBars);
      const latest = await read(new Date(end).toISOString());
      const allFrom = latest.more ? latest.items.at(-1)?.scheduled_at : undefined;
      return withFailures(latest, allFrom === undefined ? undefined : await read(new Date(Date.parse(allFrom) + 1).toISOString(), ['failed', 'timed_out']));
    },
  });
}

const mostComing = 500;

/** The firings in the range that are no executions yet: of each task its next one. */
export function useComing(project: string, { end }: Range) {
  const ahead = end > Date.now();
  return useQuery({
    queryKey: ['day', 'coming', project, end],
    enabled: ahead,
    refetchInterval: ahead ? presentEvery : false,
    placeholderData: undefined,
    queryFn: ({ signal }) => {
      const query = { limit: mostComing, until: new Date(end).toISOString(), project: project || undefined };
      return unwrap(api.GET('/api/v1/upcoming', { params: { query }, signal }));
    },
  });
}
