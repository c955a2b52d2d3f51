import { describe, expect, it } from 'vitest';
import { check } from '../src/features/payload/check';
import { completed, exampleOf } from '../src/features/payload/example';
import { expectedBy } from '../src/features/payload/expected';
import { findingCodes, type Finding } from '../src/features/payload/findings';
import { parseJson, writeJson } from '../src/shared/exact_json';
import { misfitOf } from '../src/features/payload/misfit';
import { changed, formFits, formOf } from '../src/features/payload/flat_form';
import type { Schema } from '../src/features/payload/schema';
import en from '../src/i18n/en';
import { placeOf, readJson } from '../src/shared/JsonField';

const invoice: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    customer: { type: 'string', minLength: 2, description: 'Who gets it' },
    copies: { type: 'integer', minimum: 1, default: 1 },
    kind: { enum: ['first', 'reminder'] },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
  },
  required: ['customer', 'lines'],
  additionalProperties: false,
  $defs: { line: { type: 'object', properties: { price: { type: 'number', exclusiveMinimum: 0 }, 'a/b': { type: 'string' } }, required: ['price'] } },
};

function found(schema: Schema, payload: unknown): string[] {
  const result = check(schema, payload);
  if ('unusable' in result) return [`${result.unusable}: ${result.reason}`];
  return result.findings.map(({ place, code, limit }: Finding) => `${place.join('.')} ${code} ${String(limit)}`.trim());
}

describe('a payload beside the schema of its handler', () => {
  it('fits without a finding', () => {
    expect(found(invoice, { customer: 'ACME', copies: 2, kind: 'first', note: null, lines: [{ price: 1.5 }] })).toEqual([]);
  });
  it('has each finding once, with its place and what the schema requires', () => {
    const payload = { customer: 'A', copies: 'two', kind: 'last', lines: [{ price: 0 }, { 'a/b': 3 }], more: 1 };
    expect(found(invoice, payload)).toEqual([
      'customer minLength 2', 'copies type integer', 'kind enum "first", "reminder"', 'lines.0.price exclusiveMinimum 0', 'lines.1.price missing', 'lines.1.a/b type string', 'more unexpected',
    ]);
    expect(found(invoice, [])).toEqual(['type object']);
    expect(found(invoice, {})).toEqual(['customer missing', 'lines missing']);
  });
  it('reports of several alternatives only the findings of the one that is meant', () => {
    expect(found(invoice, { customer: 'ACME', lines: [], note: 'too long' })).toEqual(['note maxLength 5']);
    expect(found(invoice, { customer: 'ACME', lines: [], note: 7 })).toEqual(['note forms string,null']);
    expect(found({ oneOf: [{ type: 'number' }, { minimum: 3 }] }, 5)).toEqual(['oneForm number']);
    expect(found({ items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, [1, 'a', 2])).toEqual(['0 forms string,null', '1 forms string,null'].map((text, at) => text.replace('1', String(at * 2))));
  });
  it('has a name that is not allowed, and properties that need each other', () => {
    expect(found({ propertyNames: { pattern: '^x' } }, { y: 1 })).toEqual(['y name ^x']);
    expect(found({ dependentRequired: { card: ['address'] } }, { card: 1 })).toEqual(['address missing']);
    expect(found({ not: { type: 'string' } }, 'a')).toEqual(['not']);
  });
  it('is left unchecked where the schema cannot be used', () => {
    expect(found({ $schema: 'urn:other' }, 1)).toEqual(['draft: "urn:other"']);
    for (const broken of [{ $ref: '#/nowhere' }, { $ref: 'https://example.com/other' }, { pattern: '(' }, { enum: 5 }, { $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }]) {
      expect(found(broken, 'a')[0]).toMatch(/^broken: ./);
      expect(() => [expectedBy(broken), exampleOf(broken), formOf(broken)]).not.toThrow();
    }
    for (const odd of [{ type: 5 }, { properties: 5 }, { properties: { a: true, b: 7 } }, { required: 'a' }, { items: [] }, { allOf: 5, anyOf: [5] }] as Schema[]) {
      expect(() => [expectedBy(odd), exampleOf(odd), formOf(odd), found(odd, { a: 1 })]).not.toThrow();
    }
  });
  it('has words for every kind of finding', () => {
    expect(Object.keys(en.payload.finding)).toEqual(expect.arrayContaining([...findingCodes]));
  });
  it('is checked by older drafts, and leaves the schema as it was', () => {
    const before = JSON.stringify(invoice);
    expect(found({ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], additionalItems: false }, ['a', 1])).toEqual(['1 unexpected']);
    expect(found({ $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true }, 1)).toEqual(['minimum 1']);
    expect(JSON.stringify(invoice)).toBe(before);
  });
});

describe('what a schema expects', () => {
  it('is listed with the properties within properties and lists', () => {
    const { properties, more } = expectedBy(invoice);
    expect(more).toBe(false);
    expect(properties.map(({ place, required }) => `${place}${required ? '!' : ''}`)).toEqual(['customer!', 'copies', 'kind', 'note', 'lines!', 'lines[].price!', 'lines[].a/b']);
    expect(properties[0]).toMatchObject({ types: ['string'], description: 'Who gets it', limits: [{ name: 'minLength', limit: '2' }] });
    expect(properties[1]).toMatchObject({ byDefault: '1', choices: null });
    expect(properties[2]).toMatchObject({ types: ['string'], choices: ['"first"', '"reminder"'] });
    expect(properties[3]).toMatchObject({ types: ['string', 'null'] });
  });
  it('ends if a schema has a cycle, or names very many properties', () => {
    const tree: Schema = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
    expect(expectedBy(tree).properties.map(({ place }) => place)).toContain('left.right.left.left');
    const wide = { properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, {}])) };
    expect(expectedBy(wide)).toMatchObject({ more: true });
  });
  it('merges all parts of a schema', () => {
    const parts: Schema = { allOf: [{ $ref: '#/$defs/base' }, { properties: { b: { type: 'string' } }, required: ['b'] }], $defs: { base: { properties: { a: { type: 'number' } }, required: ['a'] } } };
    expect(expectedBy(parts).properties.map(({ place, required }) => [place, required])).toEqual([['a', true], ['b', true]]);
  });
});

describe('a text that is not JSON', () => {
  it('is wrong at a line and a column', () => {
    const text = '{\n  "a": 1,\n  b\n}';
    const read = readJson(text);
    expect('reason' in read && placeOf(read.reason, text)).toEqual({ line: 3, column: 3 });
    expect(placeOf('Unexpected end of JSON input', '{')).toBeUndefined();
  });
});

describe('an example', () => {
  it('has what is required and what has a default, and fits', () => {
    const example = exampleOf(invoice);
    expect(example).toEqual({ customer: 'xx', copies: 1, lines: [] });
    expect(found(invoice, example)).toEqual([]);
  });
  it('has all properties where none is required, and takes given values', () => {
    const schema: Schema = { type: 'object', properties: { on: { type: 'string', format: 'date' }, top: { const: 4 }, say: { examples: ['hello'] }, wide: { type: 'boolean' }, low: { type: 'integer', maximum: -2 } } };
    expect(exampleOf(schema)).toEqual({ on: '2026-01-31', top: 4, say: 'hello', wide: false, low: -2 });
  });
  it('keeps what is entered', () => {
    expect(completed({ customer: 'ACME', other: 1 }, { customer: 'xx', copies: 1 })).toEqual({ customer: 'ACME', other: 1, copies: 1 });
    expect(completed({}, [1])).toEqual([1]);
    expect(completed([2], { a: 1 })).toEqual([2]);
  });
});

describe('the form of a flat schema', () => {
  const flat: Schema = {
    type: 'object', required: ['name', 'end'],
    properties: { name: { type: 'string', title: 'Name' }, size: { type: 'integer', default: 3 }, on: { type: 'boolean' }, tone: { enum: ['low', 2, null] }, end: { type: ['string', 'null'] } },
  };
  const fields = formOf(flat) ?? [];
  it('has an input for each property', () => {
    expect(fields.map(({ name, kind, required, nullable }) => [name, kind, required, nullable])).toEqual([
      ['name', 'text', true, false], ['size', 'integer', false, false], ['on', 'boolean', false, false], ['tone', 'choice', false, true], ['end', 'text', true, true],
    ]);
  });
  it('is not offered for a schema with lists or objects, nor for a payload that it would change', () => {
    expect(formOf(invoice)).toBeNull();
    expect(formOf({ properties: {} })).toBeNull();
    expect(formOf({ type: 'string' })).toBeNull();
    expect(formFits(fields, { name: 'a', tone: 2, end: null, unknown: [1, { a: 2 }] })).toBe(true);
    for (const other of [[], 'text', { size: 1.5 }, { name: 3 }, { on: 'yes' }, { tone: 'high' }, { size: 2 ** 60 }, { size: parseJson('9007199254740993') }]) expect(formFits(fields, other)).toBe(false);
  });
  it('changes one property and leaves the others', () => {
    const [name, size, , , end] = fields;
    if (!name || !size || !end) throw new Error('a field is missing');
    expect(changed({ name: 'a', more: 1 }, size, 4)).toEqual({ name: 'a', more: 1, size: 4 });
    expect(changed({ size: 4 }, size, undefined)).toEqual({});
    expect(changed({ end: 'x' }, end, undefined)).toEqual({ end: null });
    const large = parseJson('{"size": 4.0, "id": 9007199254740993}');
    expect(formFits(fields, large)).toBe(true);
    expect(writeJson(changed(large, size, 5))).toBe('{"size":5,"id":9007199254740993}');
  });
});

describe('the question before a task is created', () => {
  it('names what does not fit the schema, if there is one that can be used', async () => {
    const schema = { type: 'object', required: ['seconds'], properties: { seconds: { type: 'number' } } };
    expect(await misfitOf(schema, '{"seconds": "2"}')).toMatchObject([{ place: ['seconds'] }]);
    expect(await misfitOf(schema, '{"seconds": 2}')).toEqual([]);
    for (const other of [null, undefined, true, { $schema: 'urn:unknown' }]) expect(await misfitOf(other, '{}')).toEqual([]);
    expect(await misfitOf(schema, 'no JSON')).toEqual([]);
  });
});
