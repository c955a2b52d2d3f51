import type { components } from '@/api/schema.gen';

export type Span = components['schemas']['CountsOfSpan'];

export type Measure = 'fired' | 'failed' | 'late' | 'lag_p50_ms' | 'lag_p99_ms';

/** Counts by time, for a chart. A span that was not counted is a gap and not a zero. */
export interface Series {
  /** Seconds since 1970, the beginnings of the spans. */
  times: number[];
  values: (measure: Measure) => (number | null)[];
}

/** `now`, in milliseconds: a span that has not ended would look like a fall. */
export function seriesOf(spans: Span[], secondsOfOne: number, now: number): Series {
  const ended = spans.filter(({ since }) => Date.parse(since) + secondsOfOne * 1000 <= now);
  const known = new Map(ended.map((one) => [Math.round(Date.parse(one.since) / 1000), one]));
  const all = [...known.keys()];
  const times: number[] = [];
  if (all.length > 0) {
    for (let at = Math.min(...all); at <= Math.max(...all); at += secondsOfOne) times.push(at);
  }
  return { times, values: (measure) => times.map((at) => known.get(at)?.[measure] ?? null) };
}
