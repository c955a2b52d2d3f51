/** The text in parts, of which some are times such as 2026-11-26T04:16:31.643060Z. */
export function partsOf(text: string): { text: string; isTime: boolean }[] {
  return text
    .split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
    .map((part, at) => ({ text: part, isTime: at % 2 === 1 }))
    .filter(({ text: part }) => part !== '');
}
