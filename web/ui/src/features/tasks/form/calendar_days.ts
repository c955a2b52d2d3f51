import type { StoredCalendar } from '@/api/types';
import { wallClock } from './instants';
import type { CalendarUse } from './schedule_draft';
import { weekdays } from './weekdays';

type Content = Pick<StoredCalendar, 'zone' | 'dates' | 'yearly' | 'weekly'>;
interface Part {
  days?: readonly string[];
  from?: string;
  until?: string;
}

/** The day of the week of a date, and of the one before. */
function dayOf(date: string, before = 0) {
  return weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6 - before) % 7] ?? 'mon';
}

function inPart({ days, from, until }: Part, date: string, time: string): boolean {
  const on = (before: number) => !days || days.includes(dayOf(date, before));
  if (from === undefined || until === undefined) return on(0);
  if (until > from) return on(0) && time >= from && time < until;
  // Over midnight it belongs to the day on which it begins.
  return (on(0) && time >= from) || (on(1) && time < until);
}

/** Does the calendar have this instant? As docs/schedules.md says: its days begin in its own zone. */
export function contains({ zone = 'UTC', dates = [], yearly = [], weekly = [] }: Content, at: string): boolean {
  const [date = '', time = ''] = wallClock(Date.parse(at), zone).split('T');
  const inDates = dates.some((span) => {
    const [first = '', last = first] = span.split('/');
    return date >= first && date <= last;
  });
  return inDates || yearly.includes(date.slice(5)) || (weekly as Part[]).some((part) => inPart(part, date, time));
}

/** Is a firing at this instant left out by the calendars that the task names? One that is not known leaves nothing out. */
export function leftOut(uses: readonly CalendarUse[], calendars: readonly (Content & { name: string })[], at: string): boolean {
  const known = uses.flatMap((use) => calendars.filter(({ name }) => name === use.name).map((calendar) => ({ mode: use.mode, inside: contains(calendar, at) })));
  const allowed = known.filter(({ mode }) => mode === 'allow');
  return known.some(({ mode, inside }) => mode === 'exclude' && inside) || (allowed.length > 0 && !allowed.some(({ inside }) => inside));
}
