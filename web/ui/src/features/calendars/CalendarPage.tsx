import { Button, Divider, List, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'wouter';
import type { StoredCalendar } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { ErrorBox } from '@/shared/ErrorBox';
import { Facts } from '@/shared/Facts';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { Section } from '@/shared/Section';
import { CalendarForm } from './CalendarForm';
import { useTellLeft } from './left_behind';
import { Versions } from './Versions';
import { Year } from './Year';
import { useCalendar, useDeleteCalendar, useReplaceCalendar } from './queries';

function useWeekly(calendar: StoredCalendar): string {
  const { t } = useTranslation(['calendars', 'shared']);
  const rules = (calendar.weekly ?? []).map((rule) => {
    const some = rule.days !== undefined && rule.days.length < 7;
    const days = some ? rule.days?.map((day) => t(`shared:weekday.${day}`)).join(t('shared:comma')) : t('every_day');
    return 'from' in rule ? t('hours', { days, from: rule.from, until: rule.until }) : days;
  });
  return rules.join(t('between_rules'));
}

function Content({ calendar }: { calendar: StoredCalendar }) {
  const { t } = useTranslation(['calendars', 'shared']);
  const weekly = useWeekly(calendar);
  const none = t('shared:none');
  return (
    <Section title={t('content')}>
      <Facts
        facts={[
          { label: t('weekly'), value: weekly || none },
          { label: t('dates'), value: calendar.dates?.join(', ') || none },
          { label: t('yearly'), value: calendar.yearly?.join(', ') || none },
          { label: t('zone'), value: calendar.zone },
        ]}
      />
      <Divider my="lg" />
      <Year content={calendar} />
    </Section>
  );
}

function Actions({ calendar }: { calendar: StoredCalendar }) {
  const { t } = useTranslation('calendars');
  const [, go] = useLocation();
  const [asked, ask] = useState<'change' | 'delete' | null>(null);
  const tellLeft = useTellLeft();
  // Another person's change while the form is open must be refused, not overwritten.
  const [opened, open] = useState(calendar);
  const replace = useReplaceCalendar(opened.id, opened.version);
  const remove = useDeleteCalendar(calendar.id, calendar.version);
  function close() {
    ask(null);
    replace.reset();
    remove.reset();
  }
  return (
    <>
      <Button onClick={() => { open(calendar); ask('change'); }}>{t('change')}</Button>
      <Button variant="subtle" color="red" onClick={() => ask('delete')}>{t('delete')}</Button>
      {asked === 'change' && (
        <CalendarForm
          calendar={opened} project={calendar.project} busy={replace.isPending} error={replace.error} close={close}
          save={(next) => replace.mutate(next, { onSuccess: ({ left_behind: left }) => { close(); tellLeft(left); } })}
        />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          opened title={t('sure', { name: calendar.name })} text={t('delete_help')} confirm={t('delete')} danger busy={remove.isPending} error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => go('/calendars') })} onClose={close}
        />
      )}
    </>
  );
}

export default function CalendarPage() {
  const { t } = useTranslation('calendars');
  const { id = '' } = useParams<{ id: string }>();
  const { data: calendar, error, refetch } = useCalendar(id);
  if (error && !calendar) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!calendar) return <Skeleton height={320} />;
  return (
    <>
      <PageHeader title={calendar.name} summary={[calendar.project, calendar.description].filter(Boolean).join(' · ')} actions={<Actions calendar={calendar} />} />
      <Content calendar={calendar} />
      <Section title={t('used_by')}>
        {calendar.used_by.length === 0 && <Text size="sm" c="dimmed">{t('unused')}</Text>}
        <List size="sm">
          {calendar.used_by.map(({ task, name }) => <List.Item key={task}><Link to={`/tasks/${task}`} size="sm">{name}</Link></List.Item>)}
        </List>
      </Section>
      <Versions calendar={calendar} />
    </>
  );
}
