import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import { readPages } from '@/api/pages';

const hour = 3600000;
const minute = 60000;

export function useOpenLetters(project: string) {
  return useQuery({
    queryKey: ['dead_letters', 'count', project],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => readPages((after) => {
      const query = { limit: 500, after, resolution: 'open' as const, project: project || undefined };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    }, 500),
  });
}

/**
 * Executions of the last hour that failed or timed out. Each of them is a dead letter, so the events of these tell of it
 * without an answer for each execution that goes well. `from` is the beginning of the hour, for the list.
 */
export function useFailures(project: string) {
  const interval = useLiveInterval();
  return useQuery({
    queryKey: ['dead_letters', 'failed_executions', project],
    refetchInterval: interval === false ? minute : interval,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - hour).toISOString();
      const pages = await readPages((after) => {
        const query = { limit: 500, after, from, state: ['failed' as const, 'timed_out' as const], planned: false, project: project || undefined };
        return unwrap(api.GET('/api/v1/executions', { params: { query }, signal, querySerializer: { array: { style: 'form', explode: false } } }));
      }, 500, 4);
      return { ...pages, from };
    },
  });
}

/** The executions that are due next. */
export function useComing(project: string) {
  return useQuery({
    queryKey: ['executions', 'coming', project],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const query = { limit: 8, planned: true, project: project || undefined };
      return unwrap(api.GET('/api/v1/executions', { params: { query }, signal }));
    },
  });
}
