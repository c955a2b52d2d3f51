import { inOrder, weekdays, type Weekday } from './weekdays';

/** A time of the day on some days of the week: what the builder shows without an expression. */
export interface TimeOnDays {
  time: string;
  days: Weekday[];
}

const two = (value: number | string) => String(value).padStart(2, '0');

function dayNumber(word: string): number | undefined {
  if (/^[0-7]$/.test(word)) return Number(word) % 7;
  const at = weekdays.indexOf(word.toLowerCase() as Weekday);
  return at < 0 ? undefined : (at + 1) % 7;
}

function readDays(field: string): Weekday[] | undefined {
  if (field === '*') return [...weekdays];
  const found: Weekday[] = [];
  for (const part of field.split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const from = dayNumber(first);
    const to = dayNumber(last);
    if (from === undefined || to === undefined || more.length > 0) return undefined;
    // Sunday is 0, and 7 where a range ends with it.
    const end = to === 0 && last !== first ? 7 : to;
    if (end < from) return undefined;
    for (let day = from; day <= end; day += 1) found.push(weekdays[(day + 6) % 7] as Weekday);
  }
  return inOrder(found);
}

/** What an expression of a crontab means, if it is a time of the day on days of the week; else undefined. */
export function readSimpleCron(cron: string): TimeOnDays | undefined {
  const fields = cron.trim().split(/[ \t]+/);
  if (fields.length < 5 || fields.length > 6) return undefined;
  const second = fields.length === 6 ? fields.shift() : '0';
  const [minute, hour, day, month, days] = fields;
  if (day !== '*' || month !== '*' || !/^\d{1,2}$/.test(second ?? '') || !/^\d{1,2}$/.test(minute ?? '') || !/^\d{1,2}$/.test(hour ?? '')) return undefined;
  if (Number(second) > 59 || Number(minute) > 59 || Number(hour) > 23) return undefined;
  const read = readDays(days ?? '');
  if (!read) return undefined;
  const time = `${two(Number(hour))}:${two(Number(minute))}`;
  return { time: Number(second) === 0 ? time : `${time}:${two(Number(second))}`, days: read };
}

function daysField(days: readonly Weekday[]): string {
  const chosen = inOrder(days);
  if (chosen.length === 7 || chosen.length === 0) return '*';
  const numbers = chosen.map((day) => weekdays.indexOf(day) + 1);
  const first = numbers[0] ?? 1;
  const last = numbers[numbers.length - 1] ?? 1;
  if (numbers.length > 2 && last - first === numbers.length - 1) return `${first}-${last}`;
  return numbers.join(',');
}

/** The expression of a time on days; no day at all means every day. */
export function writeSimpleCron({ time, days }: TimeOnDays): string {
  const [hour = '0', minute = '0', second = '0'] = time.split(':');
  const five = `${Number(minute)} ${Number(hour)} * * ${daysField(days)}`;
  return Number(second) === 0 ? five : `${Number(second)} ${five}`;
}
