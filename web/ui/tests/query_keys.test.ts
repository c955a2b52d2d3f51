import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

interface Asked {
  key: string;
  /** The function that answers, with its own names of variables for those of the key. */
  answer: string;
  at: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function member(options: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = options.properties.find((one): one is ts.PropertyAssignment => ts.isPropertyAssignment(one) && one.name.getText() === name);
  return found?.initializer;
}

/** The keys that an expression may give: one, or those of both branches of a choice. */
function lists(key: ts.Expression): ts.ArrayLiteralExpression[] {
  if (ts.isConditionalExpression(key)) return [...lists(key.whenTrue), ...lists(key.whenFalse)];
  return ts.isArrayLiteralExpression(key) ? [key] : [];
}

function queriesOf(path: string, source = readFileSync(path, 'utf8')): Asked[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const found: Asked[] = [];
  function look(node: ts.Node) {
    const key = ts.isObjectLiteralExpression(node) ? member(node, 'queryKey') : undefined;
    const answer = ts.isObjectLiteralExpression(node) ? member(node, 'queryFn') : undefined;
    for (const list of key && answer ? lists(key) : []) {
      const names = list.elements.filter((one) => !ts.isStringLiteral(one)).map((one) => one.getText());
      const told = names.reduce((text, name, at) => text.replaceAll(new RegExp(`(\\w+: )?\\b${name.replace(/\W/g, '\\$&')}\\b`, 'g'), `#${at}`), answer?.getText() ?? '');
      found.push({ key: list.elements.map((one) => (ts.isStringLiteral(one) ? one.text : '*')).join(' '), answer: told.replace(/\s+/g, ' '), at: path });
    }
    ts.forEachChild(node, look);
  }
  look(file);
  return found;
}

function clashes(queries: Asked[]): string[] {
  return queries.flatMap((one, at) => queries.slice(0, at).filter((other) => other.key === one.key && other.answer !== one.answer).map((other) => `${one.key}: ${other.at}, ${one.at}`));
}

describe('query keys', () => {
  it('stand for one answer each: what one page has read, another finds under the key', () => {
    const queries = sources('src').flatMap((path) => queriesOf(path));
    expect(queries.length).toBeGreaterThan(30);
    expect(clashes(queries)).toEqual([]);
  });
  it('would be found if they stood for two', () => {
    const source = (answer: string) => `useQuery({ queryKey: ['tasks', 'names', project], queryFn: () => ${answer} });`;
    const of = (...answers: string[]) => clashes(answers.flatMap((answer, at) => queriesOf(`${at}.ts`, source(answer))));
    expect(of('read(project)', 'read(project)')).toEqual([]);
    expect(of('read(project)', 'names(project)')).toEqual(['tasks names *: 0.ts, 1.ts']);
  });
});
