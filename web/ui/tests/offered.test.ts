import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { offered } from '../src/api/offered';

const document = readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8');

function parametersOf(operation: string): string[] {
  const [, rest = ''] = document.split(`operationId: ${operation}\n`);
  const [head = ''] = rest.split('responses:');
  return [...head.matchAll(/name: ([a-z_]+)(, in: query|\n +in: query)/g)].map(([, name = '']) => name);
}

describe('the filters that pages show', () => {
  it.each(Object.entries(offered))('of %s are those that the API has', (operation, filters) => {
    const parameters = parametersOf(operation);
    // If this is not found, the document has another form than this test reads.
    expect(parameters).toContain('project');
    const has = Object.fromEntries(Object.keys(filters).map((name) => [name, parameters.includes(name)]));
    expect(filters).toEqual(has);
  });
});
