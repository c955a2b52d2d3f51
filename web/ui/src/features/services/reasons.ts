import type { Client } from '@/api/types';

const liveCodes = ['node_unknown', 'node_gone', 'no_answer', 'refused', 'client_unknown', 'older_release'] as const;
export type LiveCode = (typeof liveCodes)[number];
const reachCodes = ['timed_out', 'refused', 'no_route', 'name_unknown', 'wrong_answer', 'tls'] as const;
export type ReachCode = (typeof reachCodes)[number];

// A server of a later release may have further codes; then its own text is shown.
export function liveCode(code: string | null | undefined): LiveCode | undefined {
  return liveCodes.find((one) => one === code);
}

/** Why the home of a client cannot call it, if the server has a code for that which the page knows. */
export function reachCode(client: Pick<Client, 'reach_why'> & { reach_code?: string | null }): ReachCode | undefined {
  return reachCodes.find((one) => one === client.reach_code);
}
