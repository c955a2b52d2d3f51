import { Checkbox, FileInput, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Calendar, StoredCalendar } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { daysOf, textOf } from './days';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Weekday = (typeof weekdays)[number];

interface Props {
  /** The calendar to change; absent for a new one. */
  calendar?: StoredCalendar;
  project: string;
  busy: boolean;
  error: unknown;
  save: (calendar: Calendar) => void;
  close: () => void;
}

// Hours of a weekday have no field here, and stay as they are.
function wholeDays(calendar?: StoredCalendar): Weekday[] {
  return (calendar?.weekly ?? []).flatMap((rule) => ('from' in rule ? [] : ((rule.days ?? []) as Weekday[])));
}

export function CalendarForm({ calendar, project, busy, error, save, close }: Props) {
  const { t } = useTranslation(['calendars', 'shared']);
  const [name, setName] = useState(calendar?.name ?? '');
  const [description, setDescription] = useState(calendar?.description ?? '');
  const [zone, setZone] = useState(calendar?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [dates, setDates] = useState(textOf(calendar?.dates));
  const [yearly, setYearly] = useState(textOf(calendar?.yearly));
  const [days, setDays] = useState<Weekday[]>(wholeDays(calendar));
  const [file, setFile] = useState<File | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  async function confirm() {
    const hours = (calendar?.weekly ?? []).filter((rule) => 'from' in rule);
    let icalendar: string | undefined;
    try {
      icalendar = await file?.text();
    } catch {
      setUnreadable(true);
      return;
    }
    save({
      project: calendar?.project ?? (project || 'default'), name, description, zone, dates: daysOf(dates), yearly: daysOf(yearly),
      weekly: [...hours, ...(days.length > 0 ? [{ days }] : [])], ...(icalendar === undefined ? {} : { icalendar }),
    });
  }
  return (
    <ConfirmDialog opened title={t(calendar ? 'change' : 'create')} confirm={t('shared:save')} busy={busy} error={error} onConfirm={() => void confirm()} onClose={close}>
      <Stack>
        <TextInput label={t('name')} value={name} disabled={calendar !== undefined} onChange={({ currentTarget }) => setName(currentTarget.value)} required />
        <TextInput label={t('description')} value={description} onChange={({ currentTarget }) => setDescription(currentTarget.value)} />
        <TextInput label={t('zone')} description={t('zone_help')} value={zone} onChange={({ currentTarget }) => setZone(currentTarget.value)} />
        <Checkbox.Group label={t('weekly')} value={days} onChange={(next) => setDays(weekdays.filter((day) => next.includes(day)))}>
          <Group mt="xs">{weekdays.map((day) => <Checkbox key={day} value={day} label={t(`shared:weekday.${day}`)} />)}</Group>
        </Checkbox.Group>
        <Textarea label={t('dates')} description={t('dates_help')} value={dates} onChange={({ currentTarget }) => setDates(currentTarget.value)} autosize minRows={2} maxRows={8} />
        <FileInput
          label={t('file')} description={t('file_help')} accept=".ics,text/calendar" value={file} clearable error={unreadable ? t('file_unreadable') : null}
          onChange={(next) => { setFile(next); setUnreadable(false); }}
        />
        <Textarea label={t('yearly')} description={t('yearly_help')} value={yearly} onChange={({ currentTarget }) => setYearly(currentTarget.value)} autosize minRows={2} maxRows={8} />
      </Stack>
    </ConfirmDialog>
  );
}
