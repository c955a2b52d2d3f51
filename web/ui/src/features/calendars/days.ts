/** Days as people type them, one a line or with commas between them. */
export function daysOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((day) => day !== '');
}

export function textOf(days: string[] | undefined): string {
  return (days ?? []).join('\n');
}
