import { Code } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { JsonField, jsonText } from '@/shared/JsonField';
import { Section } from '@/shared/Section';

/** What the last attempt gave back. */
export function Result({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const last = one.attempts.at(-1);
  if (!last || (last.error === null && (last.result === null || last.result === undefined))) return null;
  return (
    <Section title={last.error === null ? t('result') : t('error')}>
      {last.error !== null && <Code block>{last.error}</Code>}
      {last.result !== null && last.result !== undefined && <JsonField label={t('result')} value={jsonText(last.result)} />}
    </Section>
  );
}
