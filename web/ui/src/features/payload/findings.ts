import { asList, flattened, pointerParts, referred, type Schema, typeOf, typesOf } from './schema';

/** What the validator reports for one keyword. */
export interface Unit {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

export const findingCodes = [
  'type', 'const', 'enum', 'missing', 'unexpected', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength',
  'pattern', 'format', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minProperties', 'maxProperties', 'name', 'forms', 'oneForm', 'not', 'other',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** One place at which a payload does not fit. */
export interface Finding {
  /** The property names and indexes that lead to the place; empty for the whole payload. */
  place: (string | number)[];
  code: FindingCode;
  /** What the schema requires there, such as 5 or "a", "b"; empty if the code says all. Types are names of JSON types. */
  limit: string | string[];
  /** The type of the value that is there. */
  is: string;
  /** The message of the validator, in English. */
  text: string;
}

// Units of these keywords only enclose the units that follow them.
const leading = new Set([
  '$ref', '$recursiveRef', 'allOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'prefixItems', 'items',
  'additionalItems', 'unevaluatedItems', 'propertyNames', 'dependentSchemas',
]);
const plain = new Set<string>(findingCodes);
const renamed: Partial<Record<string, FindingCode>> = {
  required: 'missing', dependentRequired: 'missing', dependencies: 'missing', false: 'unexpected', anyOf: 'forms', minContains: 'contains', maxContains: 'contains',
};

function codeOf({ keyword, keywordLocation, error }: Unit): FindingCode {
  if (/\/propertyNames\//.test(keywordLocation.replaceAll('/properties/propertyNames', ''))) return 'name';
  if (keyword === 'oneOf') return error.includes('(0 matches)') ? 'forms' : 'oneForm';
  return renamed[keyword] ?? (plain.has(keyword) ? (keyword as FindingCode) : 'other');
}

/** The name of the missing property, which the validator has only in its message. */
function missingName({ error }: Unit): string {
  const before = ['required property "', 'does not have "'].find((words) => error.includes(words)) ?? '"';
  return error.slice(error.indexOf(before) + before.length, error.lastIndexOf('"'));
}

/** The value at a place, and the place with indexes as numbers. */
function lookUp(pointer: string, payload: unknown): { place: (string | number)[]; value: unknown } {
  let value = payload;
  const place = pointerParts(pointer).map((part) => {
    const step = Array.isArray(value) ? Number(part) : part;
    value = (value as Record<string | number, unknown> | null | undefined)?.[step];
    return step;
  });
  return { place, value };
}

/** The value of a keyword in the schema; its location may lead through references. */
function wanted(location: string, root: Schema): unknown {
  return pointerParts(location).reduce<unknown>((at, part) => {
    const next = (at as Record<string, unknown> | null | undefined)?.[part];
    return part === '$ref' ? referred(next, root) : next;
  }, root);
}

function limitOf(unit: Unit, root: Schema): Finding['limit'] {
  const limit = wanted(unit.keywordLocation, root);
  switch (unit.keyword) {
    case 'type': return asList(Array.isArray(limit) ? limit : [limit]).map(String);
    case 'enum': return asList(limit).map((value) => JSON.stringify(value)).join(', ');
    case 'const': return JSON.stringify(limit);
    case 'anyOf':
    case 'oneOf': return [...new Set(asList(limit).flatMap((form) => typesOf(flattened(form, root), root)))];
    default: return typeof limit === 'number' || typeof limit === 'string' ? String(limit) : '';
  }
}

function findingOf(unit: Unit, root: Schema, payload: unknown): Finding {
  const { place, value } = lookUp(unit.instanceLocation, payload);
  const code = codeOf(unit);
  return {
    place: code === 'missing' ? [...place, missingName(unit)] : place, code, limit: limitOf(unit, root), is: value === undefined ? '' : typeOf(value), text: unit.error,
  };
}

/** For the schema `false` the validator gives the location in the payload as that in the schema: the location of the unit before replaces it. */
function placed(units: Unit[]): Unit[] {
  return units.map((unit, at) => (unit.keyword === 'false' ? { ...unit, keywordLocation: `${units[at - 1]?.keywordLocation ?? '#'}/false` } : unit));
}

const under = (place: string, outer: string) => place === outer || place.startsWith(`${outer}/`);
const within = (unit: Unit, outer: Unit, form = '') =>
  unit !== outer && under(unit.keywordLocation, outer.keywordLocation + form) && under(unit.instanceLocation, outer.instanceLocation);

/** The findings of the alternative that is meant, if only one alternative has the right type. */
function meantForm(forms: Unit, inside: Unit[]): Unit[] | undefined {
  if (codeOf(forms) !== 'forms') return undefined;
  const numbers = [...new Set(inside.map((unit) => unit.keywordLocation.slice(forms.keywordLocation.length + 1).split('/')[0] ?? ''))];
  const near = numbers.map((number) => inside.filter((unit) => within(unit, forms, `/${number}`)))
    .filter((form) => !form.some(({ keyword, instanceLocation }) => ['type', 'const', 'enum'].includes(keyword) && instanceLocation === forms.instanceLocation));
  return near.length === 1 ? near[0] : undefined;
}

/** For an `anyOf` or `oneOf` that does not fit: the findings of the alternative that is meant, or else only that none fits. */
function withoutForms(units: Unit[]): Unit[] {
  const forms = units.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  if (!forms) return units;
  const inside = units.filter((unit) => within(unit, forms));
  const meant = meantForm(forms, inside);
  return [...(meant ? withoutForms(meant) : [forms]), ...withoutForms(units.filter((unit) => unit !== forms && !inside.includes(unit)))];
}

const inPlace = (inner: Finding, outer: Finding) => outer.place.every((part, at) => inner.place[at] === part);

/** The findings in the order of the validator, without those that only follow from others. */
export function findingsOf(units: Unit[], root: Schema, payload: unknown): Finding[] {
  const all = placed(units);
  const kept = new Set(withoutForms(all));
  const telling = all.filter((unit) => kept.has(unit) && !leading.has(unit.keyword) && !unit.error.endsWith('dependant schema.'));
  const found = telling.map((unit) => findingOf(unit, root, payload));
  // The validator also reports a property with a wrong value as one that no schema names.
  const known = found.filter((one) => one.code !== 'unexpected' || !found.some((other) => other !== one && other.code !== 'unexpected' && inPlace(other, one)));
  const seen = new Set<string>();
  return known.filter((one) => {
    const key = JSON.stringify([one.place, one.code, one.limit]);
    return !seen.has(key) && seen.add(key);
  });
}
