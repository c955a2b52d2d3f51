type Sentences = Record<string, Record<string, string>>;

interface Sentence {
  key: string;
  pattern: RegExp;
  text: string;
}

const place = /\{\{(\w+)\}\}/g;
const numbers = new Set(['n', 'least', 'most', 'column']);
const clockTimes = new Set(['first', 'last', 'then']);
// What stands at these places is a sentence itself, or a part that has words of its own.
const spoken = new Set(['what', 'why', 'part', 'has', 'served', 'instead', 'state', 'met', 'outcome']);

function formOf(name: string): string {
  if (numbers.has(name)) return '-?\\d+';
  if (clockTimes.has(name)) return '\\d\\d:\\d\\d(?::\\d\\d)?';
  return spoken.has(name) ? '.+' : '.*?';
}

function patternOf(sentence: string): RegExp {
  const escaped = sentence.replace(/[\\^$.*+?()[\]|]/g, '\\$&');
  const groups = escaped.replace(place, (_, name: string) => `(?<${name}>${formOf(name)})`);
  return new RegExp(`^${groups}$`, 's');
}

/** Those with parts first, in their order; of the others those with most words first, since "X is required" fits many. */
function sentencesOf(from: Sentences, to: Sentences): Sentence[] {
  const all = Object.entries(from).flatMap(([area, sentences]) => Object.entries(sentences).map(([name, sentence]) => {
    const rank = area === 'parts' ? Number.MAX_VALUE : sentence.replace(place, '').length;
    return { key: `${area}.${name}`, pattern: patternOf(sentence), text: to[area]?.[name] ?? sentence, rank };
  }));
  return all.sort((one, other) => other.rank - one.rank);
}

export type Say = (text: string, otherwise?: (text: string) => string, met?: (key: string) => void) => string;

/**
 * Says what a sentence of `from` says by the same key of `to`; `otherwise` says one that is not among them, which stays
 * as it is by default. `met` is told the keys that were found.
 */
export function sayer(from: Sentences, to: Sentences): Say {
  const all = sentencesOf(from, to);
  const say: Say = (text, otherwise = (unknown) => unknown, met = () => undefined) => {
    for (const { key, pattern, text: words } of all) {
      const found = pattern.exec(text);
      if (!found) continue;
      met(key);
      const values = found.groups ?? {};
      return words.replace(place, (_, name: string) => (spoken.has(name) ? say(values[name] ?? '', otherwise, met) : (values[name] ?? '')));
    }
    return otherwise(text);
  };
  return say;
}
