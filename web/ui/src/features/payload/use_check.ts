import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useState } from 'react';
import { rounded } from '@/shared/exact_json';
import { readJson } from '@/shared/JsonField';
import type { Check } from './check';
import type { Schema } from './schema';

type Checker = (schema: Schema, payload: unknown) => Check;

/** The findings for a text, after a pause in typing; undefined while there are none. The validator is loaded with the first schema. */
export function useCheck(schema: Schema | null, text: string): Check | undefined {
  const [checker, setChecker] = useState<{ check: Checker }>();
  const [rested] = useDebouncedValue(text, 200);
  const needed = schema !== null;
  useEffect(() => {
    // If the server cannot deliver the validator, the payload is not checked, and can be saved all the same.
    if (needed) void import('./check').then(({ check }) => setChecker({ check }), () => undefined);
  }, [needed]);
  return useMemo(() => {
    const read = readJson(rested);
    return checker && schema && 'value' in read ? checker.check(schema, rounded(read.value)) : undefined;
  }, [checker, schema, rested]);
}
