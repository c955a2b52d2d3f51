import { Accordion, ActionIcon, Anchor, Group, MultiSelect, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { below } from '@/shared/below';
import { useCalendars } from '../queries';
import { useFault } from './faults';
import { ChoiceField, DurationField, NumberField, ZoneField } from './inputs';
import type { ScheduleProps } from './ScheduleBuilder';
import { hasClock, type CalendarUse } from './schedule_draft';

function CalendarMode({ use, change, remove }: { use: CalendarUse; change: (mode: CalendarUse['mode']) => void; remove: () => void }) {
  const { t } = useTranslation('taskForm');
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm" fw={500}>{use.name}</Text>
      <Group gap={4} wrap="nowrap">
        <SegmentedControl
          size="xs" value={use.mode} onChange={(mode) => change(mode as CalendarUse['mode'])} aria-label={t('calendars.mode', { name: use.name })}
          data={[{ value: 'exclude', label: t('calendars.exclude') }, { value: 'allow', label: t('calendars.allow') }]}
        />
        <ActionIcon variant="subtle" color="gray" aria-label={t('calendars.remove', { name: use.name })} onClick={remove}>{'×'}</ActionIcon>
      </Group>
    </Group>
  );
}

function Calendars({ draft, project, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const { data = [] } = useCalendars(project);
  const fault = useFault('schedule.calendars');
  const { calendars } = draft;
  // The list would lie over the modes of what has been chosen.
  const [opened, { open, close }] = useDisclosure();
  const names = [...new Set([...data.map(({ name }) => name), ...calendars.map(({ name }) => name)])];
  // Opens in a new tab, because the form would lose what is typed. A new calendar then appears here by itself.
  const add = <Anchor href={`${import.meta.env.BASE_URL}calendars?new`} target="_blank" rel="noopener" size="sm">{t('calendars.new')}</Anchor>;
  if (names.length === 0) return <Text size="sm" c="dimmed" component="div">{t('calendars.none', { project })}{' '}{add}</Text>;
  return (
    <Stack gap="xs">
      <MultiSelect
        dropdownOpened={opened} onDropdownOpen={open} onDropdownClose={close} onOptionSubmit={close} comboboxProps={below}
        label={t('calendars.label')} description={t('calendars.help')} error={fault} data={names} value={calendars.map(({ name }) => name)} maxValues={8} searchable
        onChange={(chosen) => change({ calendars: chosen.map((name) => calendars.find((one) => one.name === name) ?? { name, mode: 'exclude' }) })}
      />
      {calendars.map((use) => (
        <CalendarMode
          key={use.name} use={use} remove={() => change({ calendars: calendars.filter((one) => one !== use) })}
          change={(mode) => change({ calendars: calendars.map((one) => (one === use ? { ...use, mode } : one)) })}
        />
      ))}
      {add}
    </Stack>
  );
}

const gaps = ['', 'skip', 'next_valid', 'shift'] as const;
const overlaps = ['', 'first', 'second', 'both'] as const;

function ClockChanges({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <ChoiceField label={t('gap.label')} help={t('gap.help')} at="schedule.gap" value={draft.gap} onChange={(gap) => change({ gap })} choices={gaps.map((value) => ({ value, label: t(`gap.${value || 'default'}`) }))} />
      <ChoiceField label={t('overlap.label')} help={t('overlap.help')} at="schedule.overlap" value={draft.overlap} onChange={(overlap) => change({ overlap })} choices={overlaps.map((value) => ({ value, label: t(`overlap.${value || 'default'}`) }))} />
    </SimpleGrid>
  );
}

function Span({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput type="datetime-local" label={t('start_at')} error={useFault('schedule.start_at')} value={draft.startAt} onChange={({ currentTarget }) => change({ startAt: currentTarget.value })} />
      <TextInput type="datetime-local" label={t('end_at')} error={useFault('schedule.end_at')} value={draft.endAt} onChange={({ currentTarget }) => change({ endAt: currentTarget.value })} />
      <NumberField label={t('max_firings')} help={t('max_firings_help')} at="schedule.max_firings" value={draft.maxFirings} min={0} max={1000000000} onChange={(maxFirings) => change({ maxFirings })} />
      <DurationField label={t('jitter')} help={t('jitter_help')} at={['schedule.jitter_ms', 'schedule.jitter_seed']} ms={draft.jitterMs} onChange={(jitterMs) => change({ jitterMs })} />
    </SimpleGrid>
  );
}

/** What limits the times: calendars, a first and a last day, a maximum, the changes of the clock. */
export function ScheduleLimits(props: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const { draft, change } = props;
  const used = draft.calendars.length > 0 || draft.startAt !== '' || draft.endAt !== '' || draft.maxFirings > 0 || draft.jitterMs > 0 || draft.gap !== '' || draft.overlap !== '';
  return (
    <Accordion variant="separated" defaultValue={used ? 'more' : null}>
      <Accordion.Item value="more">
        <Accordion.Control><Text size="sm" fw={500}>{t('more')}</Text></Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <Calendars {...props} />
            <Span {...props} />
            {!hasClock(draft.mode) && (draft.startAt || draft.endAt) && <ZoneField draft={draft} change={change} help={t('once.zone_help')} />}
            {hasClock(draft.mode) && <ClockChanges {...props} />}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
