import { rounded } from '@/shared/exact_json';
import { readJson } from '@/shared/JsonField';
import type { Finding } from './findings';
import { asObject } from './schema';

/** The parts of a payload that do not fit the schema of its handler; none if there is no schema, or none that can be used. */
export async function misfitOf(schema: unknown, text: string): Promise<Finding[]> {
  const rules = asObject(schema);
  const read = readJson(text);
  if (!rules || !('value' in read)) return [];
  try {
    const { check } = await import('./check');
    const checked = check(rules, rounded(read.value));
    return 'findings' in checked ? checked.findings : [];
  } catch {
    // The server did not deliver the validator: the payload is not checked, and can be saved all the same.
    return [];
  }
}
