import { asList, asObject, flattened, isRequired, propertiesOf, type Schema, typesOf } from './schema';

const mostDeep = 4;

function filled(length: unknown): string {
  return typeof length === 'number' && length > 0 ? 'x'.repeat(Math.min(length, 100)) : '';
}

function textFor(schema: Schema): string {
  if (schema.format === 'date') return '2026-01-31';
  if (schema.format === 'date-time') return '2026-01-31T09:30:00Z';
  if (schema.format === 'email') return 'name@example.com';
  if (schema.format === 'uri' || schema.format === 'url') return 'https://example.com/';
  return filled(schema.minLength);
}

function numberFor({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  if (typeof maximum === 'number') return Math.min(0, maximum);
  return typeof exclusiveMaximum === 'number' ? Math.min(0, exclusiveMaximum - 1) : 0;
}

function objectFor(schema: Schema, root: Schema, deep: number): Record<string, unknown> {
  const all = propertiesOf(schema);
  const needed = all.filter(([name, inner]) => isRequired(schema, name) || 'default' in flattened(inner, root));
  return Object.fromEntries((needed.length > 0 ? needed : all).map(([name, inner]) => [name, valueFor(inner, root, deep + 1)]));
}

function given(schema: Schema): { value: unknown } | null {
  if ('const' in schema) return { value: schema.const };
  if ('default' in schema) return { value: schema.default };
  if (asList(schema.examples).length > 0) return { value: asList(schema.examples)[0] };
  return asList(schema.enum).length > 0 ? { value: asList(schema.enum)[0] } : null;
}

function valueFor(source: unknown, root: Schema, deep: number): unknown {
  const schema = flattened(source, root);
  const known = given(schema);
  if (known) return known.value;
  if (deep > mostDeep) return null;
  const forms = [...asList(schema.anyOf), ...asList(schema.oneOf)];
  if (forms.length > 0 && schema.type === undefined && schema.properties === undefined) return valueFor(forms[0], root, deep + 1);
  switch (typesOf(schema, root)[0]) {
    case 'string': return textFor(schema);
    case 'number':
    case 'integer': return numberFor(schema);
    case 'boolean': return false;
    case 'array': return typeof schema.minItems === 'number' && schema.minItems > 0 ? [valueFor(schema.items, root, deep + 1)] : [];
    case 'object': return objectFor(schema, root, deep);
    default: return null;
  }
}

/** A payload that fits the schema: with its defaults, its examples and its required properties. */
export function exampleOf(root: Schema): unknown {
  return valueFor(root, root, 0);
}

/** The entered payload, with the example for properties that it lacks. */
export function completed(entered: unknown, example: unknown): unknown {
  const [own, wanted] = [asObject(entered), asObject(example)];
  if (own && wanted) return { ...wanted, ...own };
  return own && Object.keys(own).length === 0 ? example : entered;
}
