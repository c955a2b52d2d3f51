/** Milliseconds from one time to another; null if one of them is unknown. */
export function between(from: string | null | undefined, to: string | null | undefined): number | null {
  if (!from || !to) return null;
  return Date.parse(to) - Date.parse(from);
}

// A unit, its length, and from which time on it is used. "Tomorrow" would be wrong for a time of the day after it, so two
// days are counted in hours.
const units: [Intl.RelativeTimeFormatUnit, number, number][] = [
  ['day', 86400000, 2 * 86400000],
  ['hour', 3600000, 3600000],
  ['minute', 60000, 60000],
  ['second', 1000, 1000],
];

const relativeFormatters = new Map<string, Intl.RelativeTimeFormat>();

function relativeFormatter(language: string, numeric: 'always' | 'auto'): Intl.RelativeTimeFormat {
  const key = `${language} ${numeric}`;
  const made = relativeFormatters.get(key) ?? new Intl.RelativeTimeFormat(language, { numeric });
  relativeFormatters.set(key, made);
  return made;
}

/** "in 5 minutes", "3 hours ago", "now". */
export function relative(at: number, now: number, language: string): string {
  const away = at - now;
  const [unit, length] = units.find(([, , least]) => Math.abs(away) >= least) ?? ['second', 1000];
  return relativeFormatter(language, unit === 'day' ? 'always' : 'auto').format(Math.round(away / length), unit);
}

// A formatter costs more to make than a hundred texts to write with it.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(language: string, zone: string | undefined, weekday: boolean): Intl.DateTimeFormat {
  const key = `${language} ${zone ?? ''} ${String(weekday)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(language, {
    year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    hourCycle: 'h23', timeZoneName: 'short', timeZone: zone, ...(weekday ? { weekday: 'short' } : {}),
  });
  formatters.set(key, made);
  return made;
}

/** The day and time of day in a zone, with the zone's name; `zone` undefined is the viewer's. `weekday`: with the day of the week. */
export function exact(at: string, zone: string | undefined, language: string, weekday = false): string {
  // The address of a page may have any text as a time.
  if (Number.isNaN(Date.parse(at))) return at;
  try {
    return withZoneLast(formatter(language, zone, weekday), new Date(at));
  } catch {
    // A zone that the server knows and this browser does not.
    return withZoneLast(formatter(language, 'UTC', weekday), new Date(at));
  }
}

/** The Chinese format puts the zone between the day and the time of day, where people do not expect it. */
export function withZoneLast(of: Intl.DateTimeFormat, at: Date): string {
  const parts = of.formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const text = parts.map(({ type, value }) => (type === 'timeZoneName' ? '' : value)).join('').replace(/\s+/g, ' ').trim();
  return zone === '' ? text : `${text} ${zone}`;
}

/** The time of day in a zone, to the minute. */
export function clockTime(at: number, zone: string | undefined, language: string): string {
  const how = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat(language, { ...how, timeZone: zone }).format(at);
  } catch {
    // A zone that the server knows and this browser does not.
    return new Intl.DateTimeFormat(language, { ...how, timeZone: 'UTC' }).format(at);
  }
}

export type DurationText =
  | { key: 'ms' | 's' | 'min'; n: string }
  | { key: 'min_s' | 'h_min' | 'd_h'; n: string; m: string };

/** A length of time as a person would say it: two units at most. */
export function durationText(ms: number): DurationText {
  if (ms < 1000) return { key: 'ms', n: String(Math.round(ms)) };
  if (ms < 60000) return { key: 's', n: String(Math.round(ms / 100) / 10) };
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60 && seconds % 60 === 0) return { key: 'min', n: String(minutes) };
  if (minutes < 60) return { key: 'min_s', n: String(minutes), m: String(seconds % 60) };
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return { key: 'h_min', n: String(hours), m: String(minutes % 60) };
  return { key: 'd_h', n: String(Math.floor(hours / 24)), m: String(hours % 24) };
}
