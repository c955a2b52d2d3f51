/**
 * A number of a document that JavaScript would write in another way than its text has it: 9007199254740993 as ...992, 1.0 as 1.
 * It stays as it is until somebody types another.
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

/** What stands for an exact number. `within`: it is inside of a member `payload`. */
type Turn = (number: ExactNumber, within: boolean) => unknown;

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const isExact = (token: string) => token.startsWith('"') || JSON.stringify(Number(token)) === token;
// Nobody can know it, so no text of a document has it.
const mark = `number${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;

/** As JSON.parse, with each number that it would change as an ExactNumber; these go through `turn`. Throws what JSON.parse throws. */
export function parseJson(text: string, turn?: Turn): unknown {
  const plain: unknown = JSON.parse(text);
  let found = false;
  const marked = text.replace(tokens, (token) => {
    if (isExact(token)) return token;
    found = true;
    return `"${mark}${token}"`;
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
