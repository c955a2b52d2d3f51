/** Choices of the time for which executions are shown, in the address as `since`. They move on with the clock. */
export const spans = { '1h': 3600000, '24h': 86400000, '7d': 7 * 86400000, '30d': 30 * 86400000 };
export type Span = keyof typeof spans;

export function isSpan(text: string): text is Span {
  return Object.hasOwn(spans, text);
}

/** The beginning of a span that ends now. Full minutes, so that a page does not ask for another list each second. */
export function beginOf(span: Span, now: number): string {
  return new Date(Math.floor((now - spans[span]) / 60000) * 60000).toISOString();
}

/** An instant as a field of date and time has it, by the clock of the viewer; empty for no instant. */
export function localOf(instant: string): string {
  const at = new Date(instant);
  if (instant === '' || Number.isNaN(at.getTime())) return '';
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60000);
  return shifted.toISOString().slice(0, 16);
}

export function instantOf(local: string): string {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
