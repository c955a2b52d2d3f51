import type { Execution } from '@/api/types';

/** What a command of an agent printed, and the rest of its result. */
export interface Outputs {
  stdout: string;
  stderr: string;
  rest: Record<string, unknown>;
}

/** The outputs in a result of the agent's form; null for a result of any other form. */
export function outputsOf(result: unknown): Outputs | null {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return null;
  const { stdout, stderr, ...rest } = result as Record<string, unknown>;
  return typeof stdout === 'string' && typeof stderr === 'string' ? { stdout, stderr, rest } : null;
}

const mostLines = 3;

/** The last lines of the standard error of a command; empty for a result of another form. */
export function lastLines(result: unknown): string {
  const lines = (outputsOf(result)?.stderr ?? '').split('\n').map((line) => line.trimEnd()).filter((line) => line !== '');
  return lines.slice(-mostLines).join('\n');
}

export function lastLine(result: unknown): string {
  return lastLines(result).split('\n').at(-1) ?? '';
}

/** The last line that a command printed of its error. A list has the output of the first attempt only: empty if others followed. */
export function printedBy({ state, attempt, first_attempt: { result } }: Pick<Execution, 'state' | 'attempt' | 'first_attempt'>): string {
  return (state === 'failed' || state === 'timed_out') && attempt === 1 ? lastLine(result) : '';
}
