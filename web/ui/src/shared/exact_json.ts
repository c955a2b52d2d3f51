/**
 * A number of a document that JavaScript would write in another way than its text has it: 9007199254740993 as ...992, 1.0 as 1.
 * It stays as it is until a person types another.
 */
export class ExactNumber {
  constructor(readonly text: string) {}

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  // `JSON.stringify` has no way to write it; a text loses nothing, a number would. Documents are written by `writeJson`.
  toJSON(): string {
    return this.text;
  }
}

/** Replaces an exact number. `within`: it is inside of a member `payload`. */
type Turn = (number: ExactNumber, within: boolean) => unknown;

// Only such a number can be written in another way. A text with the like in it costs nothing but time.
const doubtful = /(?:"\s*:|[[,]|^)\s*(?:-0|-?\d{16}|-?\d+[.eE])/;
const numbers = /-?\d[\d.eE+-]*/g;
const isExact = (token: string) => JSON.stringify(Number(token)) === token;

/** The place behind the text that begins at `quote`. */
function endOfText(document: string, quote: number): number {
  for (let end = document.indexOf('"', quote + 1); end >= 0; end = document.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (document[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return document.length;
}

/** The document with other words for its numbers. It has to be valid. */
function withNumbers(document: string, say: (number: string) => string): string {
  const parts: string[] = [];
  for (let at = 0; at < document.length;) {
    const quote = document.indexOf('"', at);
    const between = document.slice(at, quote < 0 ? document.length : quote);
    at = quote < 0 ? document.length : endOfText(document, quote);
    parts.push(between.replace(numbers, say), quote < 0 ? '' : document.slice(quote, at));
  }
  return parts.join('');
}

// It is random, so no text of a document has it.
const mark = `number${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;

/** As JSON.parse, with each number that it would change as an ExactNumber; these go through `turn`. Throws what JSON.parse throws. */
export function parseJson(text: string, turn?: Turn): unknown {
  const plain: unknown = JSON.parse(text);
  if (!doubtful.test(text)) return plain;
  let found = false;
  const marked = withNumbers(text, (number) => {
    if (isExact(number)) return number;
    found = true;
    return `"${mark}${number}"`;
  });
  if (!found) return plain;
  const value: unknown = JSON.parse(marked, (_, value: unknown) => (typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value));
  return turn ? turned(value, turn) : value;
}

/** As JSON.stringify, with each ExactNumber as the text that it came from. */
export function writeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, name: string, next: unknown) {
    const own = this[name];
    return own instanceof ExactNumber ? mark + own.text : next;
  }, indent) as string | undefined;
  return (text ?? '').replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** A copy in which `turn` has replaced exact numbers. */
function turned(value: unknown, turn: Turn, within = false): unknown {
  if (value instanceof ExactNumber) return turn(value, within);
  if (Array.isArray(value)) return value.map((one) => turned(one, turn, within));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, turned(one, turn, within || name === 'payload')]));
}

/** With JavaScript's numbers throughout, for code that counts and compares. It is not to be sent back. */
export function rounded(value: unknown): unknown {
  return turned(value, Number);
}

const loses = ({ text }: ExactNumber) => /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));

/** An answer of the server. In payloads numbers are kept to the letter; elsewhere 1.0 is 1, and only what would be rounded is kept. */
export function parseAnswer(text: string): unknown {
  return parseJson(text, (number, within) => (within || loses(number) ? number : Number(number)));
}
