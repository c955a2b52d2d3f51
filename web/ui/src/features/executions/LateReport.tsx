import { Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { Instance } from '@/shared/Instance';
import { JsonField, jsonText } from '@/shared/JsonField';
import { Section } from '@/shared/Section';
import { useServerWords } from '@/shared/server_words';

/** A client's report of the handler after the execution had ended without it. */
export function LateReport({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation(['executions', 'shared']);
  const words = useServerWords();
  const report = one.late_report;
  if (!report) return null;
  return (
    <Section title={t('late_report.title')}>
      <Stack gap="sm">
        <Text size="sm" component="div">
          {t('late_report.outcome', { attempt: report.attempt, state: t(`shared:state.${report.outcome}`) })}{' · '}<Instance name={report.client} />
        </Text>
        <Text size="sm" c="dimmed">{t('late_report.help')}</Text>
        {report.error !== null && <Code block>{words(report.error)}</Code>}
        {report.result !== null && report.result !== undefined && <JsonField label={t('result')} value={jsonText(report.result)} />}
      </Stack>
    </Section>
  );
}
