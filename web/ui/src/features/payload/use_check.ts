import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useState } from 'react';
import { readJson } from '@/shared/JsonField';
import type { Check } from './check';
import type { Schema } from './schema';

type Checker = (schema: Schema, payload: unknown) => Check;

/** What of a text does not fit a schema, once the typing rests; undefined while there is nothing to say. The validator is loaded with the first schema. */
export function useCheck(schema: Schema | null, text: string): Check | undefined {
  const [checker, setChecker] = useState<{ check: Checker }>();
  const [rested] = useDebouncedValue(text, 200);
  const needed = schema !== null;
  useEffect(() => {
    // A server that is away leaves the payload unchecked, which the server does not mind.
    if (needed) void import('./check').then(({ check }) => setChecker({ check }), () => undefined);
  }, [needed]);
  return useMemo(() => {
    const read = readJson(rested);
    return checker && schema && 'value' in read ? checker.check(schema, read.value) : undefined;
  }, [checker, schema, rested]);
}
