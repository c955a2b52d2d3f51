import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';

const spoken = new Set(['label', 'title', 'placeholder', 'aria-label', 'description', 'text', 'help', 'confirm', 'alt', 'summary']);
const letters = /\p{L}{2,}/u;

// Not for people: a header, ids, keys, a line for developers, and what other programs write or take.
const unspoken = [
  'Bearer …', 'task …', 'required property "', 'does not have "', 'dependant schema.', 'index.html has no element with the id root', 'baton trigger --config trigger.json', 'baton agent --config agent.json',
];
// Styles, and what reads the sentences of the server.
const unread = ['src/app/theme.ts', 'src/shared/json_colours.ts', 'src/features/tasks/form/cron_sentence.ts'];
const words = /\p{L}{2,} |\p{L} …|… \p{L}{2,}/u;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /(?<!\.gen)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The text of a literal, with … for its values. */
function literalOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…') : undefined;
}

function textsOf(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const found: string[] = [];
  function look(node: ts.Node) {
    const text = literalOf(node);
    if (ts.isJsxText(node) && letters.test(node.text)) found.push(node.text.trim());
    if (text !== undefined && isShown(node) ? letters.test(text ?? '') : words.test(text ?? '')) found.push(text ?? '');
    ts.forEachChild(node, look);
  }
  // A child of an element, or an attribute that people read or hear.
  function isShown({ parent }: ts.Node): boolean {
    const attribute = ts.isJsxExpression(parent) ? parent.parent : parent;
    return ts.isJsxAttribute(attribute) ? spoken.has(attribute.name.getText()) : ts.isJsxExpression(parent);
  }
  look(file);
  return found.filter((text) => !unspoken.includes(text)).map((text) => `${path}: ${text}`);
}

const textsIn = (path: string) => (unread.includes(path) ? [] : textsOf(path, readFileSync(path, 'utf8')));

function keys(value: object, at = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => (typeof inner === 'string' ? [`${at}${name}`] : keys(inner as object, `${at}${name}.`)));
}

describe('texts', () => {
  it('stand in the catalogues, not in the components', () => {
    expect(sources('src').flatMap(textsIn)).toEqual([]);
  });
  it('are found as elements, attributes and values', () => {
    const found = (source: string) => textsOf('a.tsx', source).map((text) => text.slice('a.tsx: '.length));
    expect(found('<p title="Name">{`${n} times`}{"Once"}</p>')).toEqual(['Name', '… times', 'Once']);
    expect(found('const why = `the task of ${name}`; throw new Error("it is full");')).toEqual(['the task of …', 'it is full']);
    expect(found('<p className="wide one">{t(`state.${s}`)}{`${a} · ${b}`}</p>')).toEqual(['wide one']);
  });
  it('have the same keys in both languages', () => {
    expect(keys(zh)).toEqual(keys(en));
  });
  it('keep files below 300 lines', () => {
    const long = sources('src').filter((path) => readFileSync(path, 'utf8').split('\n').length > 300);
    expect(long).toEqual([]);
  });
});
