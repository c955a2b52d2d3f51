import { Accordion, Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DifferencesTable } from '@/shared/DifferencesTable';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { useCalendarVersions } from './queries';

/** The versions of a calendar with what each of them changed. */
export function Versions({ id, present }: { id: string; present: number }) {
  const { t } = useTranslation('calendars');
  const { data, error } = useCalendarVersions(id);
  return (
    <Section title={t('versions')}>
      <ErrorBox error={error} />
      <Accordion variant="separated">
        {data?.items.map(({ version, created_at: at, definition }, place) => (
          <Accordion.Item key={version} value={String(version)}>
            <Accordion.Control>
              <Group gap="sm">
                <Text size="sm" fw={600}>{t('version', { version })}</Text>
                <Text size="sm" c="dimmed" component="span"><RelativeTime at={at} plain /></Text>
                {version === present && <Badge size="sm" variant="light" tt="none">{t('present')}</Badge>}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {data.items[place + 1]
                ? <DifferencesTable before={data.items[place + 1]?.definition} after={definition} />
                : <Text size="sm" c="dimmed">{t('first')}</Text>}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}
