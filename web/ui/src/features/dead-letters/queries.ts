import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, unwrap } from '@/api/client';
import { useLiveInterval } from '@/api/live';
import type { DeadLetter } from '@/api/types';
import { lastLine } from '../executions/outputs';
import { commonOf, mostCompared } from './payloads';
import { firstStep, type LetterFilter, type Letters, nothingYet, type Resolved, type Step, withStep } from './letters';

export type Resolution = DeadLetter['resolution'];

export interface LetterFilters {
  project: string;
  task: string;
  /** Only the shards of this one. */
  broadcast: string;
  service: string;
  error: string;
  resolution: Resolution;
}

export function useDeadLetters(filters: LetterFilters, after: string | undefined) {
  return useQuery({
    queryKey: ['dead_letters', filters, after],
    refetchInterval: useLiveInterval(),
    queryFn: ({ signal }) => {
      const { project, task, broadcast, service, error, resolution } = filters;
      const query = {
        limit: 50, after, resolution, project: project || undefined, task: task || undefined, broadcast: broadcast || undefined,
        service: service || undefined, error: error || undefined,
      };
      return unwrap(api.GET('/api/v1/dead-letters', { params: { query }, signal }));
    },
  });
}

/** The last line that the last attempt of a dead letter printed of its error; empty if it printed none. The list lacks it. */
export function useLastLine(execution: string, wanted: boolean): string {
  const { data } = useQuery({
    // Of no topic: an execution that has ended prints nothing more.
    queryKey: ['last_line', execution],
    enabled: wanted,
    staleTime: Infinity,
    retry: false,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const { attempts } = await unwrap(api.GET('/api/v1/executions/{id}', { params: { path: { id: execution } }, signal }));
      return lastLine(attempts.at(-1)?.result);
    },
  });
  return data ?? '';
}

export type Resolve = 'retry' | 'dismiss';

/** How many open dead letters are meant. Not read while they are dealt with: the number would fall in the question. */
export function useLetterCount(of: Letters, busy: boolean) {
  return useQuery({
    queryKey: ['dead_letters', 'count', of],
    enabled: !busy && !('executions' in of),
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/dead-letters/count', { params: { query: of as LetterFilter }, signal })),
  });
}

/** The executions that are meant; null if there are too many to compare. */
async function executionsOf(of: Letters, signal: AbortSignal): Promise<string[] | null> {
  if ('executions' in of) return of.executions.length <= mostCompared ? of.executions : null;
  const { items, next } = await unwrap(api.GET('/api/v1/dead-letters', { params: { query: { ...of, limit: mostCompared } }, signal }));
  return next === null ? items.map(({ execution }) => execution) : null;
}

/** The payload that the dead letters have in common, read once a person wants to change it; `differ` if they are too many to know. */
export function useCommonPayload(of: Letters, wanted: boolean) {
  return useQuery({
    // Of no topic, and read once for each question: another answer would replace the text while it is typed.
    queryKey: ['payloads_of_letters', of],
    gcTime: 0,
    enabled: wanted,
    staleTime: Infinity,
    retry: false,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const executions = await executionsOf(of, signal);
      if (executions === null) return 'differ' as const;
      const read = executions.map((id) => unwrap(api.GET('/api/v1/executions/{id}', { params: { path: { id } }, signal })));
      return commonOf((await Promise.all(read)).map(({ payload }) => payload));
    },
  });
}

export interface Request {
  how: Resolve;
  of: Letters;
  /** Undefined: each runs with its own. */
  payload?: unknown;
}

function send(how: Resolve, step: Step, payload: unknown) {
  if (how === 'dismiss') return unwrap(api.POST('/api/v1/dead-letters/dismiss', { body: step }));
  return unwrap(api.POST('/api/v1/dead-letters/retry', { body: payload === undefined ? step : { ...step, payload } }));
}

interface Work {
  how: Resolve;
  of: Letters;
  step: Step;
  sum: Resolved;
}

/**
 * Runs dead letters again, or takes them off the list, in as many steps as that takes. `stop` ends it after the present
 * step. If a step fails, the same request goes on from there.
 */
export function useResolve() {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Resolved>();
  const stopped = useRef(false);
  const unfinished = useRef<Work>(undefined);
  useEffect(() => () => { stopped.current = true; }, []); // the page is left
  const mutation = useMutation({
    mutationFn: async ({ how, of, payload }: Request): Promise<Resolved> => {
      stopped.current = false;
      const last = unfinished.current;
      const work = last?.of === of && last.how === how ? last : { how, of, step: firstStep(of), sum: nothingYet };
      unfinished.current = work;
      for (;;) {
        const answer = await send(how, work.step, payload);
        work.sum = withStep(work.sum, answer);
        setProgress(work.sum);
        if (answer.next === null || stopped.current || 'executions' in work.step) break;
        work.step = { ...work.step, after: answer.next };
      }
      unfinished.current = undefined;
      setProgress(undefined);
      return work.sum;
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['dead_letters'] });
      await client.invalidateQueries({ queryKey: ['executions'] });
    },
  });
  function stop() {
    stopped.current = true;
    unfinished.current = undefined;
    setProgress(undefined);
  }
  return { ...mutation, progress, stop };
}
