import type en from '@/i18n/en';
import { weekdays } from './weekdays';

type Key = keyof (typeof en)['taskForm']['cron_words'];
type TimeKind = 'times' | 'minutes' | 'hours' | 'of_hours' | 'seconds';
type DateKind = 'in_months' | 'every_day' | 'days_if' | 'days_or' | 'days' | 'of_month' | 'weekdays';
/** A text of `cron_words` in the catalogue, or the name of a day of the week. */
export interface Speaker {
  say: (key: Key, values?: Record<string, string | number>) => string;
  day: (day: (typeof weekdays)[number]) => string;
}

const monthNames = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

// "1, 3 and 5" or "1 to 5".
const listOf = (one: string) => `${one}(?: to ${one}|(?:(?:, | and )${one})*)`;
const number = listOf(String.raw`\d+`);
const someMonths = listOf(`(?:${monthNames.join('|')})`);
const someDays = listOf(`(?:${dayNames.join('|')})`);
const clock = String.raw`\d\d:\d\d(?::\d\d)?`;
const hours = String.raw`(?:from (?<from>${clock}) to (?<to>${clock})|in the hours (?<hours>${number}))`;
const month = `(?:every month|(?<months>${someMonths}))`;

// The sentences of libs/schedule/describe_cron.cpp: when on a day, on which days, and in which years.
const times: [RegExp, TimeKind][] = [
  [RegExp(`^at (?<times>${clock}(?:(?:, | and )${clock})*)`), 'times'],
  [RegExp(`^every (?:(?<n>\\d+) minutes|minute)(?: ${hours})?`), 'minutes'],
  [RegExp(`^every hour from (?<from>${clock}) to (?<to>${clock})`), 'hours'],
  [RegExp(`^every (?:(?<n>\\d+) hours|hour)(?:, at minutes? (?<minute>${number}))?`), 'hours'],
  [RegExp(`^at minutes? (?<minute>${number}) of every hour(?: ${hours})?`), 'hours'],
  [RegExp(`^at minutes? (?<minute>${number}) in the hours (?<hours>${number})`), 'of_hours'],
  [RegExp(`^on the hour in the hours (?<hours>${number})`), 'of_hours'],
  [RegExp(`^(?:every (?:(?<n>\\d+) seconds|second)|at seconds? (?<second>${number}))(?: of every minute| in minutes? (?<minute>${number})(?: of every hour)?)?(?: ${hours})?`), 'seconds'],
];
const dates: [RegExp, DateKind][] = [
  [RegExp(`^(?: every day)? in (?<months>${someMonths})(?=$|,)`), 'in_months'],
  [/^(?<every> every day)?(?=$|,)/, 'every_day'],
  [RegExp(`^ on days? (?<days>${number}) of ${month} if it is (?<weekdays>${someDays})`), 'days_if'],
  [RegExp(`^ on days? (?<days>${number}) of ${month} or on (?<weekdays>${someDays})(?: in ${someMonths})?`), 'days_or'],
  [RegExp(`^ on days? (?<days>${number}) of ${month}`), 'days'],
  [RegExp(`^ on (?<nearest>the day from Monday to Friday nearest to )?(?:day (?<day>\\d+)|(?<last>the last day)|(?<one>the day before the last day)|(?<before>\\d+) days before the last day) of ${month}`), 'of_month'],
  [RegExp(`^ on the (?<place>first|second|third|fourth|fifth|last) (?<weekdays>${someDays}) of ${month}`), 'of_month'],
  [RegExp(`^ on (?<weekdays>${someDays})(?: in (?<months>${someMonths}))?`), 'weekdays'],
];
const years = RegExp(`^, in (?<years>${number})$|^$`);

type Values = Record<string, string | undefined>;
interface Part<Kind> {
  key: Kind;
  values: Values;
}

/** The groups of the first pattern that fits, and the text behind it. */
function first<Kind>(text: string, patterns: [RegExp, Kind][]) {
  for (const [pattern, key] of patterns) {
    const found = pattern.exec(text);
    if (found) return { key, values: { ...found.groups } as Values, rest: text.slice(found[0].length) };
  }
  return undefined;
}

/** The server's English description of a cron expression in this zone, in another language; undefined if it is none that is known. */
export function cronSentence(described: string, zone: string, { say, day }: Speaker): string | undefined {
  const description = described.slice(0, Math.max(described.indexOf(` in ${zone}`), 0)); // what follows are its bounds
  const time = first(description, times);
  const date = time && first(time.rest, dates);
  const year = date && years.exec(date.rest);
  if (!year) return undefined;
  const isList = time.key === 'times';

  /** A list, each value with its words. */
  function list(text: string, each: (value: string) => string): string {
    const [from, to, ...more] = text.split(' to ');
    if (from !== undefined && to !== undefined && more.length === 0) return say('range', { from: each(from), to: each(to) });
    return text.split(/, | and /).map(each).reduce((a, b) => say('list', { a, b }));
  }
  const monthList = (text: string) => list(text, (one) => say('month', { n: monthNames.indexOf(one) + 1 }));
  const dayList = (text: string) => list(text, (one) => day(weekdays[dayNames.indexOf(one)] ?? 'mon'));
  const numbers = (key: Key, text: string) => list(text, (n) => say(key, { n }));
  const every = (one: Key, some: Key, n: string | undefined) => (n === undefined ? say(one) : say(some, { n }));

  function span({ from, to, hours: some }: Values): string {
    if (from !== undefined) return say('span', { from, to: to ?? '' });
    return some === undefined ? '' : say('in_hours', { hours: numbers('hour', some) });
  }
  function during(values: Record<string, string | undefined>, what: string): string {
    const when = span(values);
    return when === '' ? what : say('during', { when, what });
  }
  function timeWords({ key, values }: Part<TimeKind>): string {
    const { n, minute, second } = values;
    if (key === 'times') return list(values.times ?? '', (one) => one);
    if (key === 'minutes') return during(values, every('every_minute', 'every_minutes', n));
    if (key === 'of_hours') return say('at_of', { at: minute === undefined ? say('on_the_hour') : numbers('minute', minute), of: numbers('hour', values.hours ?? '') });
    if (key === 'hours') {
      const hourly = every('every_hour', 'every_hours', n);
      return during(values, minute === undefined ? (n === undefined ? say('hourly') : hourly) : say('at_of', { at: numbers('minute', minute), of: hourly }));
    }
    const at = second === undefined ? every('every_second', 'every_seconds', n) : numbers('second', second);
    if (minute === undefined) return during(values, second === undefined ? at : say('at_of', { at, of: say('every_minute') }));
    const inMinutes = say('during', { when: say('at_of', { at: numbers('minute', minute), of: say('every_hour') }), what: at });
    return during(values, inMinutes);
  }
  function dayOfMonth({ day: on, last, one, before, nearest, place, weekdays: which }: Values): string {
    if (place !== undefined) return say('nth', { place: say(place === 'second' ? 'second_of' : (place as 'first')), day: dayList(which ?? '') });
    const base = on !== undefined ? say('day', { n: on }) : last !== undefined ? say('last_day') : say('before_last', { n: (one === undefined ? Number(before) : 1) + 1 });
    return nearest === undefined ? base : say('nearest', { day: base });
  }
  function dateWords({ key, values }: Part<DateKind>): string {
    const { months, days = '', weekdays: which = '' } = values;
    const of = months === undefined ? say('every_month') : say('of_months', { months: monthList(months) });
    if (key === 'every_day') return values.every === undefined ? '' : say('every_day');
    if (key === 'in_months') return isList ? say('every_day_of', { months: monthList(months ?? '') }) : say('in_months', { months: monthList(months ?? '') });
    if (key === 'weekdays') return months === undefined ? say('weekdays', { days: dayList(which) }) : say('weekdays_of', { months: monthList(months), days: dayList(which) });
    if (key === 'of_month') return say('of_month', { of, on: dayOfMonth(values) });
    const on = say('of_month', { of, on: numbers('day', days) });
    return key === 'days' ? on : say(key, { on, days: dayList(which), of });
  }
  const yearWords = year.groups?.years === undefined ? '' : numbers('year', year.groups.years);
  return [yearWords, dateWords(date), timeWords(time)].filter((part) => part !== '').reduce((on, at) => say('on_at', { on, at }));
}
