/** Days as people type them, one a line or with commas between them. */
export function daysOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((day) => day !== '');
}

export function textOf(days: string[] | undefined): string {
  return (days ?? []).join('\n');
}

const date = /^\d{4}-\d{2}-\d{2}$/;
const yearly = /^(\d{2}|\*)-(\d{2}|last|(sun|mon|tue|wed|thu|fri|sat)-([1-5]|last))$/;

/** Such as 2026-12-24, or 2026-12-24/2026-12-26. */
export function isSpan(text: string): boolean {
  const [first = '', last = first, ...more] = text.split('/');
  return date.test(first) && date.test(last) && first <= last && more.length === 0;
}

/** Such as 12-25, 02-last, 11-thu-4 or *-01. */
export function isYearly(text: string): boolean {
  return yearly.test(text);
}

function endsOf(span: string): [string, string] {
  const [first = '', last = first] = span.split('/');
  return [first, last];
}

/** Whether a day is one of the dates, or in a span, which has both of its ends. Dates of this form are ordered as their texts are. */
export function hasDate(dates: string[], day: string): boolean {
  return dates.filter(isSpan).some((span) => {
    const [first, last] = endsOf(span);
    return first <= day && day <= last;
  });
}

function beside(day: string, by: 1 | -1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86400000).toISOString().slice(0, 10);
}

const spanText = (first: string, last: string) => (first > last ? [] : [first === last ? first : `${first}/${last}`]);

/** The dates with a day, or without it if they have it: a span around it becomes two. */
export function toggled(dates: string[], day: string): string[] {
  if (!hasDate(dates, day)) return [...dates, day].sort();
  return dates.flatMap((one) => {
    if (!isSpan(one) || !hasDate([one], day)) return [one];
    const [first, last] = endsOf(one);
    return [...spanText(first, beside(day, -1)), ...spanText(beside(day, 1), last)];
  });
}

const steps: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** The day that a key leads to from another; undefined for other keys, and beyond the year. */
export function dayAt(day: string, key: string): string | undefined {
  const step = steps[key];
  const at = new Date(`${day}T00:00:00Z`);
  if (key === 'Home') at.setUTCDate(1);
  else if (key === 'End') at.setUTCMonth(at.getUTCMonth() + 1, 0);
  else if (step === undefined) return undefined;
  else at.setUTCDate(at.getUTCDate() + step);
  const next = at.toISOString().slice(0, 10);
  return next.slice(0, 4) === day.slice(0, 4) ? next : undefined;
}
