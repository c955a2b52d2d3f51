import { ExactNumber } from '@/shared/exact_json';
import { textOf } from './expected';
import { asObject, flattened, isRequired, propertiesOf, type Schema, typesOf } from './schema';

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice';

/** An input of the form for one property. */
export interface Field {
  name: string;
  title: string;
  description: string;
  kind: FieldKind;
  required: boolean;
  /** The property may be null. */
  nullable: boolean;
  /** For a choice: the allowed values, which are texts, numbers, booleans or null. */
  choices: unknown[];
  byDefault: unknown;
}

const kinds: Partial<Record<string, FieldKind>> = { string: 'text', number: 'number', integer: 'integer', boolean: 'boolean' };
const isPlain = (value: unknown) => value === null || typeof value !== 'object';

function fieldOf(name: string, source: unknown, within: Schema, root: Schema): Field | null {
  const schema = flattened(source, root);
  const { enum: values } = schema;
  const choices: unknown[] = 'const' in schema ? [schema.const] : Array.isArray(values) ? values : [];
  const types = typesOf(schema, root);
  const others = types.filter((type) => type !== 'null');
  const kind = choices.length > 0 && choices.every(isPlain) ? 'choice' : others.length === 1 && choices.length === 0 ? kinds[others[0] ?? ''] : undefined;
  if (kind === undefined) return null;
  return {
    name, kind, choices, required: isRequired(within, name), nullable: types.includes('null'), byDefault: schema.default,
    title: textOf(schema.title), description: textOf(schema.description),
  };
}

/** The inputs for an object whose properties are texts, numbers, booleans or choices; null if the schema is of another kind. */
export function formOf(root: Schema): Field[] | null {
  const schema = flattened(root, root);
  const types = typesOf(schema, root);
  if (types.length !== 1 || types[0] !== 'object') return null;
  const fields = propertiesOf(schema).map(([name, source]) => fieldOf(name, source, schema, root));
  return fields.length > 0 && fields.every((field) => field !== null) ? fields : null;
}

function canShow(field: Field, value: unknown): boolean {
  if (value === undefined || (value === null && field.nullable)) return true;
  switch (field.kind) {
    case 'choice': return field.choices.includes(value);
    case 'text': return typeof value === 'string';
    case 'boolean': return typeof value === 'boolean';
    case 'integer': return Number.isInteger(numberOf(value));
    case 'number': return numberOf(value) !== undefined;
  }
}

/** The number that an input can show; undefined for what is none, and for one that the input would round. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : value instanceof ExactNumber && Number.isInteger(Number(value)) ? Number(value) : undefined;
  return number === undefined || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? undefined : number;
}

/** Whether the inputs can show the payload, and write it back without a loss. */
export function formFits(fields: Field[], payload: unknown): boolean {
  const object = asObject(payload);
  return object !== null && fields.every((field) => canShow(field, object[field.name]));
}

/** The payload with one property changed; undefined leaves it out, or makes it null where it is required and may be null. */
export function changed(payload: unknown, field: Field, value: unknown): Record<string, unknown> {
  const object = asObject(payload) ?? {};
  if (value !== undefined) return { ...object, [field.name]: value };
  if (field.required && field.nullable) return { ...object, [field.name]: null };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field.name));
}
