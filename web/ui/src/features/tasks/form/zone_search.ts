const plain = (text: string) => text.toLowerCase().replaceAll('_', ' ').trim();

/** Whether a zone matches what a person typed: "new york" finds America/New_York. */
export function isZoneLike(zone: string, text: string): boolean {
  return plain(zone).includes(plain(text));
}
