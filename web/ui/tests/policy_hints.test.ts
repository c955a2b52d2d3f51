import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';

// They have no default: the routing that shows them needs a value.
const needed = ['route_key', 'instance'];

it('each field of a policy has a sentence with its default', () => {
  const source = readFileSync('src/features/tasks/form/PolicyFields.tsx', 'utf8');
  const fields = [...source.matchAll(/<(?:\w+Field|TextInput|TagsInput) label=\{t\('field\.(\w+)'\)\}(?: (?:help|description)=\{t\('hint\.(\w+)'\)\})?/g)];
  expect(fields.length).toBeGreaterThan(25);
  expect(fields.filter(([, , hint]) => hint === undefined).map(([, field]) => field)).toEqual([]);
  for (const [name, text] of Object.entries(en.taskPolicies.hint)) if (!needed.includes(name)) expect(text, name).toMatch(/default/);
  for (const [name, text] of Object.entries(zh.taskPolicies.hint)) if (!needed.includes(name)) expect(text, name).toMatch(/默认/);
});
