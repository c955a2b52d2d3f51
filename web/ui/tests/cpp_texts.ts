import { readFileSync } from 'node:fs';

const literal = /R"\((.*?)\)"|"((?:[^"\\]|\\.)*)"/sy;

/** A source without its comments. */
export function cppSource(path: string): string {
  return readFileSync(`../../${path}`, 'utf8').replace(/^\s*(?:\/\/|#include).*$|\/\/[^\n"]*$/gm, '');
}

/** The texts in the call or the block that goes on at this place; those side by side are one. */
export function textsFrom(source: string, begin: number): string[] {
  const texts: string[] = [];
  let behind = -1;
  for (let at = begin, depth = 1; depth > 0 && at < source.length;) {
    literal.lastIndex = at;
    const found = literal.exec(source);
    if (found) {
      const text = found[1] ?? found[2]?.replace(/\\(.)/g, '$1') ?? '';
      if (behind >= 0 && source.slice(behind, at).trim() === '') texts.push((texts.pop() ?? '') + text);
      else texts.push(text);
      at = behind = literal.lastIndex;
      continue;
    }
    if ('({'.includes(source[at] ?? '')) depth += 1;
    if (')}'.includes(source[at] ?? '')) depth -= 1;
    at += 1;
  }
  return texts;
}

/** The texts in all calls, or blocks, whose beginnings the pattern (with its bracket) finds. */
export function textsIn(source: string, beginning: RegExp): string[] {
  return [...source.matchAll(beginning)].flatMap((call) => textsFrom(source, call.index + call[0].length));
}

export const isSentence = (text: string) => /[a-z]{2,} [a-z0-9]|^ ?[a-z]+ /.test(text);
