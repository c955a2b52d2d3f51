import type { Calendar } from '@/api/types';
import { hasDate } from './days';

export type Mark = 'whole' | 'part';

export interface Day {
  /** Such as 2026-12-24. */
  date: string;
  /** Whether the calendar has the day: all of it, some hours of it, or nothing (undefined). */
  mark: Mark | undefined;
}

export interface Month {
  /** From 0. */
  month: number;
  /** Days of the week before the first one, from Monday on. */
  before: number;
  days: Day[];
}

type Content = Pick<Calendar, 'dates' | 'yearly' | 'weekly'>;

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

// A rule such as 12-25, 02-last, 11-thu-4 or *-mon-last, for a day of a month of this length.
function isNamed(rule: string, date: string, weekday: string, length: number): boolean {
  const [month, ...rest] = rule.split('-');
  if (month !== '*' && month !== date.slice(5, 7)) return false;
  const day = Number(date.slice(8));
  const place = rest.at(-1);
  if (rest.length === 1) return place === 'last' ? day === length : place === date.slice(8);
  return rest[0] === weekday && (place === 'last' ? day + 7 > length : Math.ceil(day / 7) === Number(place));
}

function markOf({ dates = [], yearly = [], weekly = [] }: Content, date: string, weekday: string, length: number): Mark | undefined {
  if (hasDate(dates, date) || yearly.some((rule) => isNamed(rule, date, weekday, length))) return 'whole';
  const rules = weekly.filter(({ days }) => days === undefined || days.some((day) => day === weekday));
  if (rules.some((rule) => !('from' in rule))) return 'whole';
  return rules.length > 0 ? 'part' : undefined;
}

/** The days of a year, and which of them the calendar has. Hours after midnight count for the day on which they begin. */
export function monthsOf(content: Content, year: number): Month[] {
  return Array.from({ length: 12 }, (_, month) => {
    const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const days = Array.from({ length: count }, (_unused, day) => {
      const at = new Date(Date.UTC(year, month, day + 1));
      const date = at.toISOString().slice(0, 10);
      return { date, mark: markOf(content, date, weekdays[at.getUTCDay()] ?? 'sun', count) };
    });
    return { month, before: (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7, days };
  });
}

export function countOf(months: Month[], mark: Mark): number {
  return months.reduce((sum, { days }) => sum + days.filter((day) => day.mark === mark).length, 0);
}

/** The date in a zone, such as 2026-12-24; `zone` undefined is the viewer's. */
export function todayIn(zone: string | undefined, now = Date.now()): string {
  const text = (timeZone: string | undefined) => {
    const parts = new Intl.DateTimeFormat('en', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).formatToParts(now);
    return (['year', 'month', 'day'] as const).map((wanted) => parts.find(({ type }) => type === wanted)?.value).join('-');
  };
  try {
    return text(zone);
  } catch {
    // A zone that the server knows and this browser does not, or one that is being typed.
    return text('UTC');
  }
}
