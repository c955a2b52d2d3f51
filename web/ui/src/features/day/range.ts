/** A part of a day that is looked at: from a full hour of a date, by the clock of the viewer or of UTC. */
export interface Range {
  begin: number;
  end: number;
}

export const lengths = [24, 12, 6, 1] as const;
export type Length = (typeof lengths)[number];

export function lengthOf(text: string): Length {
  return lengths.find((one) => String(one) === text) ?? 24;
}

const hour = 3600000;

function instant(date: string, hours: number, utc: boolean): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return utc ? Date.UTC(year, month - 1, day, hours) : new Date(year, month - 1, day, hours).getTime();
}

/** A day has 23 or 25 hours where its clock changes. */
export function rangeOf(date: string, from: number, length: Length, utc: boolean): Range {
  const begin = instant(date, length === 24 ? 0 : from, utc);
  return { begin, end: length === 24 ? instant(date, 24, utc) : begin + length * hour };
}

/** The date, such as 2026-11-26, and the hour of an instant. */
export function placeOf(at: number, utc: boolean): { date: string; from: number } {
  const time = new Date(at);
  const parts = utc
    ? [time.getUTCFullYear(), time.getUTCMonth() + 1, time.getUTCDate()]
    : [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  const date = parts.map((part) => String(part).padStart(2, '0')).join('-');
  return { date, from: utc ? time.getUTCHours() : time.getHours() };
}

export function isDate(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Instants to write a time of day at. */
export function ticksOf({ begin, end }: Range, length: Length): number[] {
  const step = { 24: 3 * hour, 12: 2 * hour, 6: hour, 1: hour / 6 }[length];
  const count = Math.ceil((end - begin) / step);
  return Array.from({ length: count }, (_, at) => begin + at * step);
}

/** From which hour on a shorter part is shown: so that the present is in its middle, if it is in the range at all. */
export function hourToShow({ begin, end }: Range, length: Length, utc: boolean, now = Date.now()): number {
  if (length === 24) return 0;
  if (now < begin || now >= end) return placeOf(begin, utc).from;
  return Math.min(24 - length, Math.max(0, placeOf(now, utc).from - Math.floor(length / 2)));
}

/** The day and hour that an address names. `from` is an hour, or `now`: then the range begins with the present hour. */
export function chosenOf({ date, from }: { date: string; from: string }, utc: boolean, now = Date.now()): { date: string; from: number } {
  const present = placeOf(now, utc);
  if (from === 'now') return present;
  return { date: isDate(date) ? date : present.date, from: Math.min(23, Math.max(0, Math.floor(Number(from) || 0))) };
}

/** The instants of these that begin another day than the one before: a time of day alone would not tell the day. */
export function daysBegun(ticks: number[], utc: boolean): Set<number> {
  const dates = ticks.map((at) => placeOf(at, utc).date);
  return new Set(ticks.filter((_, place) => place > 0 && dates[place] !== dates[place - 1]));
}
