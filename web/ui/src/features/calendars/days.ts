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
