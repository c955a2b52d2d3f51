/**
 * Host and process of an instance or incarnation such as `mars:4711:ae1d99a1:0edc46418ad2b10814ae986b82edcec9`, which is too
 * long for a table. Other names stay as they are.
 */
export function shortInstance(name: string): string {
  return /^(.+:\d+):[0-9a-f]{8}:[0-9a-f]{32}$/.exec(name)?.[1] ?? name;
}
