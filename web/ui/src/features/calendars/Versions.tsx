import { Accordion, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { StoredCalendar } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { DifferencesTable } from '@/shared/DifferencesTable';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { contentOf } from './draft';
import { useTellLeft } from './left_behind';
import { type CalendarVersion, useCalendarVersions, useReplaceCalendar } from './queries';

const members = ['description', 'zone', 'dates', 'yearly', 'weekly'] as const;

/** The differences between two versions, in the words of the form. */
function Differences({ before, after }: { before: unknown; after: unknown }) {
  const { t } = useTranslation('calendars');
  const labelOf = (field: string) => {
    const known = members.find((one) => one === field);
    return known ? t(known) : field;
  };
  return <DifferencesTable before={before} after={after} labelOf={labelOf} />;
}

/** The question before an older version becomes the newest. `calendar`: as it was when the question was asked. */
function GoBack({ calendar, to, close }: { calendar: StoredCalendar; to: CalendarVersion; close: () => void }) {
  const { t } = useTranslation('calendars');
  const { mutate, isPending, error } = useReplaceCalendar(calendar.id, calendar.version);
  const tellLeft = useTellLeft();
  return (
    <ConfirmDialog
      opened title={t('rollback')} text={t('rollback_help', { version: to.version })} confirm={t('rollback')} busy={isPending} error={error} onClose={close}
      onConfirm={() => mutate(to.definition, { onSuccess: ({ left_behind: left }) => { close(); tellLeft(left); } })}
    >
      <Differences before={contentOf(calendar)} after={contentOf(to.definition)} />
    </ConfirmDialog>
  );
}

/** The versions of a calendar with what each of them changed, and a way back to an older one. */
export function Versions({ calendar }: { calendar: StoredCalendar }) {
  const { t } = useTranslation('calendars');
  const { data, error } = useCalendarVersions(calendar.id);
  const [back, goBack] = useState<{ calendar: StoredCalendar; to: CalendarVersion } | null>(null);
  return (
    <Section title={t('versions')}>
      <ErrorBox error={error} />
      <Accordion variant="separated">
        {data?.items.map((item, place) => (
          <Accordion.Item key={item.version} value={String(item.version)}>
            <Accordion.Control>
              <Group gap="sm">
                <Text size="sm" fw={600}>{t('version', { version: item.version })}</Text>
                <Text size="sm" c="dimmed" component="span"><RelativeTime at={item.created_at} plain /></Text>
                {item.version === calendar.version && <Badge size="sm" variant="light" tt="none">{t('present')}</Badge>}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack align="flex-start">
                {data.items[place + 1]
                  ? <Differences before={data.items[place + 1]?.definition} after={item.definition} />
                  : <Text size="sm" c="dimmed">{t('first')}</Text>}
                {item.version !== calendar.version && <Button size="xs" variant="default" onClick={() => goBack({ calendar, to: item })}>{t('rollback')}</Button>}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {back && <GoBack {...back} close={() => goBack(null)} />}
    </Section>
  );
}
