import { List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ExactTime } from '@/shared/Times';
import { useServerWords } from '@/shared/server_words';
import { Section } from '@/shared/Section';
import { useSkippedRanges } from './queries';

/** Late firings that were skipped together and are too many for a row each. */
export function SkippedRanges({ task }: { task: string }) {
  const { t } = useTranslation('tasks');
  const words = useServerWords();
  const { data } = useSkippedRanges(task);
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={t('skipped.title')}>
      <List size="sm" spacing="xs">
        {data.items.map((range) => (
          <List.Item key={range.first_at + range.created_at}>
            {t('skipped.firings', { count: range.firings })}{': '}<ExactTime at={range.first_at} />{' – '}<ExactTime at={range.last_at} />
            <Text size="xs" c="dimmed">{words(range.reason)}</Text>
          </List.Item>
        ))}
      </List>
      {data.next !== null && <Text size="sm" mt="sm" c="dimmed">{t('skipped.more')}</Text>}
    </Section>
  );
}
