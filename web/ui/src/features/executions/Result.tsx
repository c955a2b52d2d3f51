import { Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { writeJson } from '@/shared/exact_json';
import { JsonField, jsonText } from '@/shared/JsonField';
import { Section } from '@/shared/Section';
import { useServerWords } from '@/shared/server_words';
import { outputsOf } from './outputs';

function Printed({ label, text }: { label: string; text: string }) {
  if (text === '') return null;
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>{label}</Text>
      <Code block tabIndex={0} aria-label={label} role="region">{text}</Code>
    </div>
  );
}

function Returned({ result }: { result: unknown }) {
  const { t } = useTranslation('executions');
  const outputs = outputsOf(result);
  if (!outputs) return <JsonField label={t('result')} value={jsonText(result)} />;
  const { stdout, stderr, rest } = outputs;
  const members = Object.entries(rest).map(([name, value]) => (name === 'exit' ? t('exit', { status: writeJson(value) }) : `${name}: ${typeof value === 'string' ? value : writeJson(value)}`));
  return (
    <>
      <Printed label={t('stdout')} text={stdout} />
      <Printed label={t('stderr')} text={stderr} />
      {stdout === '' && stderr === '' && <Text size="sm" c="dimmed">{t('no_output')}</Text>}
      {members.length > 0 && <Text size="sm" c="dimmed">{members.join(' · ')}</Text>}
    </>
  );
}

/** What the last attempt gave back. */
export function Result({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const words = useServerWords();
  const last = one.attempts.at(-1);
  if (!last || (last.error === null && (last.result === null || last.result === undefined))) return null;
  return (
    <Section title={last.error === null ? t('result') : t('error')}>
      <Stack gap="sm">
        {last.error !== null && <Code block>{words(last.error)}</Code>}
        {last.result !== null && last.result !== undefined && <Returned result={last.result} />}
      </Stack>
    </Section>
  );
}
