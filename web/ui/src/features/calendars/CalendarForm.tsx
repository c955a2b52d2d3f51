import { Accordion, Autocomplete, Checkbox, FileInput, Group, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Calendar, StoredCalendar } from '@/api/types';
import { useProjectNames } from '@/api/projects';
import { below, makeRoom } from '@/shared/below';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { viewerZone } from '@/shared/viewer_zone';
import { zoneNames, zonesLike } from '@/shared/zones';
import { daysOf, isSpan, isYearly, textOf, toggled } from './days';
import { calendarOf, type Draft, draftOf, type Weekday, weekdays } from './draft';
import { HoursField } from './HoursField';
import { Year } from './Year';

interface Props {
  /** The calendar to change; absent for a new one. */
  calendar?: StoredCalendar;
  project: string;
  busy: boolean;
  error: unknown;
  save: (calendar: Calendar) => void;
  close: () => void;
}

interface NamesProps { draft: Draft; change: (part: Partial<Draft>) => void; fixed: boolean; nameless: boolean }

function Names({ draft, change, fixed, nameless }: NamesProps) {
  const { t } = useTranslation('calendars');
  const projects = useProjectNames();
  return (
    <>
      {!fixed && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('name')} error={nameless && t('name_needed')} value={draft.name} onChange={({ currentTarget }) => change({ name: currentTarget.value })} required data-autofocus />
          <Autocomplete label={t('project')} value={draft.project} onChange={(project) => change({ project })} data={projects.data ?? []} required />
        </SimpleGrid>
      )}
      <Autocomplete label={t('zone')} description={t('zone_help')} value={draft.zone} onChange={(zone) => change({ zone })} data={zoneNames()} limit={30} filter={zonesLike} comboboxProps={below} onFocus={makeRoom} data-autofocus={fixed} />
    </>
  );
}

interface PartProps { draft: Draft; change: (part: Partial<Draft>) => void }

function Weekly({ draft, change }: PartProps) {
  const { t } = useTranslation(['calendars', 'shared']);
  return (
    <Checkbox.Group label={t('weekly')} value={draft.days} onChange={(next) => change({ days: weekdays.filter((day) => next.includes(day)) as Weekday[] })}>
      <Group mt="xs" gap="sm">{weekdays.map((day) => <Checkbox key={day} value={day} label={t(`shared:weekday.${day}`)} />)}</Group>
    </Checkbox.Group>
  );
}

function Typed({ draft, change }: PartProps) {
  const { t } = useTranslation(['calendars', 'shared']);
  const fault = (text: string, isRight: (day: string) => boolean) => {
    const wrong = daysOf(text).filter((day) => !isRight(day));
    return wrong.length > 0 && t('wrong_days', { days: wrong.join(t('shared:comma')) });
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Textarea label={t('dates')} description={t('dates_help')} error={fault(draft.dates, isSpan)} value={draft.dates} onChange={({ currentTarget }) => change({ dates: currentTarget.value })} autosize minRows={3} maxRows={8} />
      <Textarea label={t('yearly')} description={t('yearly_help')} error={fault(draft.yearly, isYearly)} value={draft.yearly} onChange={({ currentTarget }) => change({ yearly: currentTarget.value })} autosize minRows={3} maxRows={8} />
    </SimpleGrid>
  );
}

/** What few calendars need is folded, unless this one has it. Single days are rather clicked than typed. */
function Further({ draft, change }: PartProps) {
  const { t } = useTranslation('calendars');
  const [opened, open] = useState(() => [...(draft.hours.length > 0 ? ['hours'] : []), ...(draft.yearly !== '' ? ['typed'] : [])]);
  const parts = {
    typed: <Typed draft={draft} change={change} />,
    hours: <HoursField value={draft.hours} onChange={(hours) => change({ hours })} />,
    description: <TextInput aria-label={t('description')} value={draft.description} onChange={({ currentTarget }) => change({ description: currentTarget.value })} />,
  };
  const titles = { typed: t('typed', { count: daysOf(draft.dates).length + daysOf(draft.yearly).length }), hours: t('hours_title'), description: t('description') };
  return (
    <Accordion variant="separated" multiple value={opened} onChange={open}>
      {(['typed', 'hours', 'description'] as const).map((part) => (
        <Accordion.Item key={part} value={part}>
          <Accordion.Control><Text size="sm" fw={500}>{titles[part]}</Text></Accordion.Control>
          <Accordion.Panel>{parts[part]}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Preview({ draft, change }: PartProps) {
  const { t } = useTranslation('calendars');
  const { dates, yearly, days, hours, zone } = useDeferredValue(draft);
  const content = useMemo(() => calendarOf({ dates, yearly, days, hours, zone, project: '', name: '', description: '' }), [dates, yearly, days, hours, zone]);
  return (
    <div>
      <Text size="sm" fw={500}>{t('preview')}</Text>
      <Text size="xs" c="dimmed" mb="xs">{t('preview_help')}</Text>
      <Year content={content} toggle={(date) => change({ dates: textOf(toggled(daysOf(draft.dates), date)) })} />
    </div>
  );
}

export function CalendarForm({ calendar, project, busy, error, save, close }: Props) {
  const { t } = useTranslation(['calendars', 'shared']);
  const [draft, setDraft] = useState(() => draftOf(calendar, project, viewerZone()));
  const [file, setFile] = useState<File | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const [nameless, setNameless] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  async function confirm() {
    const missing = draft.name.trim() === '';
    setNameless(missing);
    if (missing) return document.querySelector<HTMLElement>('[role=dialog] [data-autofocus]')?.focus();
    let icalendar: string | undefined;
    try {
      icalendar = await file?.text();
    } catch {
      setUnreadable(true);
      return;
    }
    save({ ...calendarOf(draft), ...(icalendar === undefined ? {} : { icalendar }) });
  }
  return (
    <ConfirmDialog opened title={calendar ? t('change_title', { name: calendar.name }) : t('create')} confirm={t(calendar ? 'shared:save' : 'create')} busy={busy} error={error} onConfirm={() => void confirm()} onClose={close} wide>
      <Stack>
        <Names draft={draft} change={change} fixed={calendar !== undefined} nameless={nameless && draft.name.trim() === ''} />
        <FileInput
          label={t('file')} description={t('file_help')} placeholder={t('file_choose')} accept=".ics,text/calendar" value={file} clearable error={unreadable ? t('file_unreadable') : null}
          onChange={(next) => { setFile(next); setUnreadable(false); }}
        />
        <Weekly draft={draft} change={change} />
        <Further draft={draft} change={change} />
        <Preview draft={draft} change={change} />
      </Stack>
    </ConfirmDialog>
  );
}
