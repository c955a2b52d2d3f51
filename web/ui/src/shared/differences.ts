import { ExactNumber, writeJson } from './exact_json';

export interface Difference {
  /** The member, with a dot between the levels. */
  field: string;
  before: unknown;
  after: unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** What differs between two documents, member by member, in the order of the names. */
export function differences(before: unknown, after: unknown, at = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => differences(before[name], after[name], at ? `${at}.${name}` : name));
  }
  return writeJson(before) === writeJson(after) ? [] : [{ field: at, before, after }];
}
