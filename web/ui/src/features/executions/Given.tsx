import { Code } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { jsonText } from '@/shared/JsonField';
import { Section } from '@/shared/Section';

/** The payload that the handler gets; nothing if it is empty. */
export function Given({ payload }: { payload: unknown }) {
  const { t } = useTranslation('executions');
  const text = jsonText(payload);
  if (payload === null || text === '' || text === '{}') return null;
  return (
    <Section title={t('payload')}>
      <Code block tabIndex={0} aria-label={t('payload')} role="region">{text}</Code>
    </Section>
  );
}
