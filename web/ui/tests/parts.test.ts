import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyOf } from '../src/features/nodes/parts';
import en from '../src/i18n/en';
import { cppSource } from './cpp_texts';

function sources(folder: string): string[] {
  return readdirSync(join('../..', folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.cpp$/.test(entry.name) ? [path] : [];
  });
}

/** The names that a node gives to its parts. */
function named(source: string): string[] {
  const name = /\b(?:named|spawn|supervised|enter_part|every|parts_\.add\w*)\((?:[^"();]|\([^()]*\))*?"([^"]+)"/g;
  return [...source.matchAll(name)].map(([, text = '']) => text);
}

it('each part of a node has its words in the catalogues', () => {
  const known = [...sources('trigger').map((path) => cppSource(path)).flatMap(named), ...named(cppSource('libs/http/session.cpp')), ...named(cppSource('libs/base/post_queue.cpp'))];
  expect(known.length).toBeGreaterThan(50);
  const words: Record<string, string> = en.nodes.parts;
  expect(known.filter((name) => words[keyOf(name)] !== name)).toEqual([]);
});

it('the address of a request is none', () => {
  expect(en.nodes.parts).not.toHaveProperty(keyOf('/api/v1/executions/{id}'));
});
