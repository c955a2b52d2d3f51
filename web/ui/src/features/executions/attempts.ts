import type { Attempt, Execution } from '@/api/types';

type Counted = Pick<Execution, 'attempt' | 'max_attempts' | 'deaths'> & { first_attempt?: Pick<Attempt, 'started_at'>; attempts?: Pick<Attempt, 'cause'>[] };

/** How many attempts replace one that was lost or given up without fault of the task. In a list only the first attempt is known. */
function replacing({ attempt, deaths, first_attempt: first, attempts }: Counted): number {
  if (attempts) return Math.max(deaths, attempts.filter(({ cause }) => cause !== 'first' && cause !== 'retry').length);
  return Math.max(deaths, attempt > 1 && first?.started_at === null ? 1 : 0);
}

/** How many attempts there were, and how many there may be. Those that were lost with their client or given up do not count. */
export function attemptsOf(one: Counted) {
  // A lost attempt adds one to both numbers, but the death that ends an execution is followed by no attempt.
  const replaced = Math.min(replacing(one), one.attempt - 1);
  const n = one.attempt - replaced;
  return { n, of: Math.max(n, one.max_attempts - replaced), deaths: one.deaths };
}

/** The attempts that were given up before a client began them: another one replaces each. */
export function givenUp<One extends Pick<Attempt, 'attempt' | 'cause' | 'started_at'>>(attempts: One[]): { attempt: number; why: 'client_gone' | 'node_gone' | 'take_over' }[] {
  return attempts.flatMap(({ attempt, started_at: begun }, at) => {
    const why = attempts[at + 1]?.cause;
    return begun === null && (why === 'client_gone' || why === 'node_gone' || why === 'take_over') ? [{ attempt, why }] : [];
  });
}
