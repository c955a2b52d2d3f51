import type { Execution } from '@/api/types';

/** How many attempts there were, and how many there may be. An attempt that was lost with its client counts only as a death. */
export function attemptsOf({ attempt, max_attempts: most, deaths }: Pick<Execution, 'attempt' | 'max_attempts' | 'deaths'>) {
  // A lost attempt adds one to both numbers, but the death that ends an execution is followed by no attempt.
  const replaced = Math.min(deaths, attempt - 1);
  return { n: attempt - replaced, of: most - replaced, deaths };
}
