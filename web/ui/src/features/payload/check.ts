import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import { type Finding, findingsOf } from './findings';
import type { Schema } from './schema';

/** The findings, or the reason for which the schema could not be used. */
export type Check = { findings: Finding[] } | { unusable: 'draft' | 'broken'; reason: string };

const drafts: [RegExp, SchemaDraft][] = [[/draft-04/, '4'], [/draft-0[67]/, '7'], [/2019-09/, '2019-09'], [/2020-12/, '2020-12']];

export function draftOf(schema: Schema): SchemaDraft | undefined {
  if (schema.$schema === undefined) return '2020-12';
  const named = typeof schema.$schema === 'string' ? schema.$schema : '';
  return drafts.find(([pattern]) => pattern.test(named))?.[1];
}

/** Checks a payload. If the schema itself is invalid, the result says so. */
export function check(schema: Schema, payload: unknown): Check {
  const draft = draftOf(schema);
  if (draft === undefined) return { unusable: 'draft', reason: JSON.stringify(schema.$schema) };
  try {
    // The validator modifies the schema, so it gets a copy.
    const { errors } = new Validator(structuredClone(schema), draft, false).validate(payload);
    return { findings: findingsOf(errors, schema, payload) };
  } catch (reason) {
    return { unusable: 'broken', reason: reason instanceof Error ? (reason.message.split('\n')[0] ?? '') : String(reason) };
  }
}
