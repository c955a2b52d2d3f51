const plain = (text: string) => text.toLowerCase().replaceAll('_', ' ').trim();

/** Whether a zone is one that a person may mean: "new york" is in America/New_York. */
export function isZoneLike(zone: string, text: string): boolean {
  return plain(zone).includes(plain(text));
}
