import type { Problem } from './types';

/** A refusal as the server tells it, or a failure to reach the server (status 0). */
export class ProblemError extends Error {
  readonly status: number;
  readonly title: string;
  readonly field: string | undefined;

  constructor(problem: { status: number; title: string; detail: string; field?: string }) {
    super(problem.detail || problem.title);
    this.name = 'ProblemError';
    this.status = problem.status;
    this.title = problem.title;
    this.field = problem.field;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'title' in value && 'detail' in value;
}

export function problemOf(value: unknown, response: Response): ProblemError {
  if (isProblem(value)) return new ProblemError(value);
  return new ProblemError({ status: response.status, title: response.statusText, detail: '' });
}
