/** The values that no line shows, because both of their neighbours are missing. */
export function alone(values: (number | null)[]): number[] {
  const missing = (at: number) => (values[at] ?? null) === null;
  return values.flatMap((value, at) => (value !== null && missing(at - 1) && missing(at + 1) ? [at] : []));
}
