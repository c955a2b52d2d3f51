import { QueryClient } from '@tanstack/react-query';
import { ProblemError } from './problem';

// A refusal stays a refusal; only an unreachable or overloaded server is asked again.
function retry(count: number, error: Error): boolean {
  return count < 3 && error instanceof ProblemError && (error.status === 0 || error.status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry, staleTime: 1000, refetchOnWindowFocus: true, placeholderData: (before: unknown) => before },
    mutations: { retry: false },
  },
});
