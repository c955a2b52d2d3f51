const liveCodes = ['node_unknown', 'node_gone', 'no_answer', 'refused', 'client_unknown', 'older_release'] as const;
export type LiveCode = (typeof liveCodes)[number];

// A server of a later release may have further codes; then its own text is shown.
export function liveCode(code: string | null | undefined): LiveCode | undefined {
  return liveCodes.find((one) => one === code);
}
