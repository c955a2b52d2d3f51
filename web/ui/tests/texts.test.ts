import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';

const spoken = new Set(['label', 'title', 'placeholder', 'aria-label', 'description', 'text', 'help', 'confirm', 'alt', 'summary']);
const letters = /\p{L}{2,}/u;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.tsx$/.test(entry.name) ? [path] : [];
  });
}

function textsIn(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  function look(node: ts.Node) {
    if (ts.isJsxText(node) && letters.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (letters.test(node.initializer.text)) found.push(node.initializer.text);
    }
    if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteral(node.expression) && !ts.isJsxAttribute(node.parent)) {
      if (letters.test(node.expression.text)) found.push(node.expression.text);
    }
    ts.forEachChild(node, look);
  }
  look(file);
  return found.map((text) => `${path}: ${text}`);
}

function keys(value: object, at = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => (typeof inner === 'string' ? [`${at}${name}`] : keys(inner as object, `${at}${name}.`)));
}

describe('texts', () => {
  it('stand in the catalogues, not in the components', () => {
    expect(sources('src').flatMap(textsIn)).toEqual([]);
  });
  it('have the same keys in both languages', () => {
    expect(keys(zh)).toEqual(keys(en));
  });
  it('keep files below 300 lines', () => {
    const long = sources('src').filter((path) => readFileSync(path, 'utf8').split('\n').length > 300);
    expect(long).toEqual([]);
  });
});
