import { asList, asObject, flattened, isRequired, type JsonType, propertiesOf, type Schema, typesOf } from './schema';

export const limitNames = [
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'format', 'minItems', 'maxItems',
] as const;
export type LimitName = (typeof limitNames)[number];

/** One property that a handler expects. */
export interface Expected {
  /** The path of the property, such as customer or lines[].price. */
  place: string;
  types: JsonType[];
  required: boolean;
  description: string;
  /** JSON; null if there is none. */
  byDefault: string | null;
  /** JSON of the only values that it may have; null if other values are allowed. */
  choices: string[] | null;
  limits: { name: LimitName; limit: string }[];
}

const mostDeep = 4;
const mostShown = 60;

function limitsOf(schema: Schema): Expected['limits'] {
  return limitNames.flatMap((name) => {
    const limit = schema[name];
    return typeof limit === 'number' || typeof limit === 'string' ? [{ name, limit: String(limit) }] : [];
  });
}

function choicesOf(schema: Schema): string[] | null {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : null;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function describe(schema: Schema, place: string, required: boolean, root: Schema): Expected {
  return {
    place, required, types: typesOf(schema, root), description: textOf(schema.description) || textOf(schema.title),
    byDefault: 'default' in schema ? JSON.stringify(schema.default) : null, choices: choicesOf(schema), limits: limitsOf(schema),
  };
}

function* below(schema: Schema, root: Schema, place: string, deep: number): Generator<Expected> {
  if (deep > mostDeep) return;
  for (const [name, inner] of propertiesOf(schema)) {
    const one = flattened(inner, root);
    const at = place === '' ? name : `${place}.${name}`;
    yield describe(one, at, isRequired(schema, name), root);
    yield* below(one, root, at, deep + 1);
    yield* items(one, root, at, deep);
  }
  for (const form of [...asList(schema.anyOf), ...asList(schema.oneOf)]) yield* below(flattened(form, root), root, place, deep + 1);
}

function* items(schema: Schema, root: Schema, place: string, deep: number): Generator<Expected> {
  if (asObject(schema.items)) yield* below(flattened(schema.items, root), root, `${place}[]`, deep + 1);
}

/** The properties that a schema names, each followed by those within it. `more`: the list is not complete. */
export function expectedBy(root: Schema): { properties: Expected[]; more: boolean } {
  const schema = flattened(root, root);
  const properties = new Map<string, Expected>();
  for (const source of [below(schema, root, '', 1), items(schema, root, '', 1)]) {
    for (const one of source) {
      if (properties.size >= mostShown) return { properties: [...properties.values()], more: true };
      if (!properties.has(one.place)) properties.set(one.place, one);
    }
  }
  return { properties: [...properties.values()], more: false };
}
