import { writeJson } from '@/shared/exact_json';

/** How many executions are read to compare their payloads. */
export const mostCompared = 50;

/** The payload that all of them have; `differ` if they have several, or if one is not known. */
export function commonOf(payloads: unknown[]): { payload: unknown } | 'differ' {
  const [first] = payloads;
  if (first === undefined || payloads.some((one) => one === null)) return 'differ';
  const text = writeJson(first);
  return payloads.every((one) => writeJson(one) === text) ? { payload: first } : 'differ';
}
