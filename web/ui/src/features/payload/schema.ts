import { ExactNumber } from '@/shared/exact_json';

/** A JSON Schema as a client announces it, which may be invalid. */
export type Schema = Record<string, unknown>;

export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber) ? (value as Record<string, unknown>) : null;
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const texts = (value: unknown) => asList(value).filter((one) => typeof one === 'string');

/** The names of a JSON pointer such as #/$defs/line. */
export function pointerParts(pointer: string): string[] {
  return pointer.replace(/^#?\/?/, '').split('/').filter((part) => part !== '').map((part) => {
    const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
    try {
      return decodeURIComponent(plain);
    } catch {
      return plain;
    }
  });
}

/** The target of a reference within the schema; undefined for any other reference. */
export function referred(ref: unknown, root: Schema): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  return pointerParts(ref).reduce<unknown>((at, part) => (Array.isArray(at) ? (at as unknown[])[Number(part)] : asObject(at)?.[part]), root);
}

/** The schema merged with its references and its `allOf`. `behind`: the references that led here, so that a cycle ends. */
export function flattened(schema: unknown, root: Schema, behind: unknown[] = []): Schema {
  let one = asObject(schema) ?? {};
  if (one.$ref !== undefined) {
    const { $ref, ...own } = one;
    one = behind.includes($ref) ? own : { ...flattened(referred($ref, root), root, [...behind, $ref]), ...own };
    behind = [...behind, $ref];
  }
  if (Array.isArray(one.allOf)) {
    const { allOf, ...own } = one;
    one = asList(allOf).map((part) => flattened(part, root, behind)).reduce<Schema>(joined, own);
  }
  return one;
}

function joined(a: Schema, b: Schema): Schema {
  const properties = { ...asObject(a.properties), ...asObject(b.properties), ...asObject(a.properties) };
  const required = [...new Set([...texts(a.required), ...texts(b.required)])];
  return { ...b, ...a, ...(Object.keys(properties).length > 0 ? { properties } : {}), ...(required.length > 0 ? { required } : {}) };
}

/** The schemas of the properties, by name. */
export function propertiesOf(schema: Schema): [string, unknown][] {
  return Object.entries(asObject(schema.properties) ?? {});
}

export function isRequired(schema: Schema, name: string): boolean {
  return texts(schema.required).includes(name);
}

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

const mostForms = 3; // within each other

/** The types that a value may have, over all alternatives of the schema; none if any type is allowed. */
export function typesOf(schema: Schema, root: Schema, left = mostForms): JsonType[] {
  const named = typeof schema.type === 'string' ? [schema.type] : texts(schema.type);
  const own = jsonTypes.filter((type) => named.includes(type));
  if (own.length > 0) return own;
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(typeOf))];
  if ('const' in schema) return [typeOf(schema.const)];
  const forms = [...asList(schema.anyOf), ...asList(schema.oneOf)];
  if (forms.length > 0 && left > 0) return [...new Set(forms.flatMap((form) => typesOf(flattened(form, root), root, left - 1)))];
  if (schema.properties !== undefined) return ['object'];
  return schema.items === undefined ? [] : ['array'];
}
