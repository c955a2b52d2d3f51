import { Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { writeJson } from '@/shared/exact_json';
import { JsonField, jsonText } from '@/shared/JsonField';
import { Section } from '@/shared/Section';
import { sentenceOf, useServerWords } from '@/shared/server_words';
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

function Returned({ result, withoutExit }: { result: unknown; withoutExit: boolean }) {
  const { t } = useTranslation('executions');
  const outputs = outputsOf(result);
  if (!outputs) return <JsonField label={t('result')} value={jsonText(result)} />;
  const { stdout, stderr, rest } = outputs;
  const members = Object.entries(rest).filter(([name]) => name !== 'exit' || !withoutExit).map(([name, value]) => (name === 'exit' ? t('exit', { status: writeJson(value) }) : `${name}: ${typeof value === 'string' ? value : writeJson(value)}`));
  return (
    <>
      <Printed label={t('stdout')} text={stdout} />
      <Printed label={t('stderr')} text={stderr} />
      {stdout === '' && stderr === '' && <Text size="sm" c="dimmed">{t('no_output')}</Text>}
      {members.length > 0 && <Text size="sm" c="dimmed">{members.join(' · ')}</Text>}
    </>
  );
}

/** What the last attempt gave back. An error of one line that is the reason stands above, where the page begins. */
export function Result({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const words = useServerWords();
  const last = one.attempts.at(-1);
  if (!last) return null;
  const nothing = last.result === null || last.result === undefined;
  const error = last.error === one.reason && !last.error?.includes('\n') ? null : last.error;
  if (nothing && error === null) return null;
  return (
    <Section title={last.error === null ? t('result') : t('error')}>
      <Stack gap="sm">
        {error !== null && <Code block>{words(error)}</Code>}
        {!nothing && <Returned result={last.result} withoutExit={sentenceOf(last.error ?? '')?.key === 'exit'} />}
      </Stack>
    </Section>
  );
}
