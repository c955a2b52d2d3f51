import { Anchor, Group, SegmentedControl, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DayPicker } from './DayPicker';
import { useFault } from './faults';
import { ChoiceField, DurationField, NumberField, ZoneField } from './inputs';
import { ParentField } from './ParentField';
import type { ScheduleProps } from './ScheduleBuilder';
import type { Roll } from './schedule_draft';

function TimeField({ label, at, value, onChange }: { label: string; at: string; value: string; onChange: (time: string) => void }) {
  return (
    <TextInput
      type="time" label={label} error={useFault(at)} value={value} step={value.length > 5 ? 1 : 60} required
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function Days({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const fault = useFault('schedule.time');
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TimeField label={t('time')} at="schedule.cron" value={draft.time} onChange={(time) => time && change({ time })} />
        <ZoneField draft={draft} change={change} />
      </SimpleGrid>
      {fault && <Text size="sm" c="red">{fault}</Text>}
      <DayPicker value={draft.days} onChange={(days) => change({ days })} at="schedule.cron" />
    </>
  );
}

const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const places = ['first', 'second', 'third', 'fourth', 'last'] as const;

function useMonthDays() {
  const { t } = useTranslation('taskForm');
  return [
    { value: '', label: t('on.same') },
    { value: 'last_day', label: t('on.last_day') },
    { value: 'last_business_day', label: t('on.last_business_day') },
    ...Array.from({ length: 31 }, (_, at) => ({ value: String(at + 1), label: t('on.day', { day: at + 1 }) })),
    ...places.flatMap((place) => dayNames.map((day) => ({ value: `${place} ${day}`, label: t('on.nth', { place: t(`on.${place}`), day: t(`on.${day}`) }) }))),
  ];
}

function Months({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const days = useMonthDays();
  const rolls = (['none', 'next_business_day', 'previous_business_day'] as const).map((value) => ({ value, label: t(`roll.${value}`) }));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <ChoiceField label={t('on.label')} at="schedule.on" value={draft.on} choices={days} onChange={(on) => change({ on })} more={{ searchable: true }} />
      <ChoiceField<Roll> label={t('roll.label')} at="schedule.roll" value={draft.roll} choices={rolls} onChange={(roll) => change({ roll })} />
      <NumberField label={t('every')} at="schedule.every" value={draft.everyMonths} min={1} max={1000} onChange={(everyMonths) => change({ everyMonths })} />
      <ChoiceField label={t('period')} at="schedule.unit" value={draft.monthUnit} onChange={(monthUnit) => change({ monthUnit })} choices={[{ value: 'months', label: t('period_months') }, { value: 'years', label: t('period_years') }]} />
      <TimeField label={t('time')} at="schedule.time" value={draft.time} onChange={(time) => time && change({ time })} />
      <ZoneField draft={draft} change={change} />
    </SimpleGrid>
  );
}

function EveryDays({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberField label={t('every')} at="schedule.every" value={draft.every} min={1} max={1000} onChange={(every) => change({ every })} />
        <ChoiceField label={t('period')} at="schedule.unit" value={draft.dayUnit} onChange={(dayUnit) => change({ dayUnit })} choices={[{ value: 'days', label: t('period_days') }, { value: 'weeks', label: t('period_weeks') }]} />
        <TimeField label={t('time')} at="schedule.time" value={draft.time} onChange={(time) => time && change({ time })} />
        <ZoneField draft={draft} change={change} />
      </SimpleGrid>
      {draft.dayUnit === 'weeks' && <DayPicker value={draft.days} onChange={(days) => change({ days })} at="schedule.days" />}
    </>
  );
}

function Window({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  return (
    <>
      <DurationField label={t('pause')} at="schedule.every_ms" ms={draft.windowMs} min={1000} onChange={(windowMs) => change({ windowMs })} />
      <SimpleGrid cols={{ base: 2 }}>
        <TimeField label={t('from')} at="schedule.from" value={draft.from} onChange={(from) => from && change({ from })} />
        <TimeField label={t('to')} at="schedule.to" value={draft.to} onChange={(to) => to && change({ to })} />
      </SimpleGrid>
      <ZoneField draft={draft} change={change} />
      <DayPicker value={draft.days} onChange={(days) => change({ days })} at="schedule.days" />
    </>
  );
}

function Interval({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  return (
    <>
      <DurationField label={t('pause')} at="schedule.every_ms" ms={draft.intervalMs} min={1} onChange={(intervalMs) => change({ intervalMs })} />
      <ChoiceField
        label={t('counted.label')} at="schedule.kind" value={draft.counted} onChange={(counted) => change({ counted })}
        choices={[{ value: 'start', label: t('counted.start') }, { value: 'end', label: t('counted.end') }]}
      />
    </>
  );
}

function Once({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const fault = useFault('schedule.at');
  return (
    <>
      <SegmentedControl
        value={draft.once} onChange={(once) => change({ once: once as 'at' | 'in' })} aria-label={t('once.label')}
        data={[{ value: 'at', label: t('once.at') }, { value: 'in', label: t('once.in') }]}
      />
      {draft.once === 'at' ? (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput type="datetime-local" label={t('once.when')} error={fault} value={draft.at} onChange={({ currentTarget }) => change({ at: currentTarget.value })} required />
          <ZoneField draft={draft} change={change} help={t('once.zone_help')} />
        </SimpleGrid>
      ) : (
        <DurationField label={t('once.after')} at="schedule.in_ms" ms={draft.inMs} min={1} onChange={(inMs) => change({ inMs })} />
      )}
    </>
  );
}

const cronExamples = ['*/15 * * * *', '0 9-17 * * 1-5', '0 2 1 * *', 'H 2 * * *'];

function CronFields({ draft, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const fault = useFault('schedule.cron', 'schedule.dialect');
  return (
    <>
      <TextInput
        label={t('cron.label')} description={t(`cron.fields_${draft.dialect}`)} error={fault} value={draft.cron} styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={({ currentTarget }) => change({ cron: currentTarget.value })} required
      />
      {draft.dialect === 'crontab' && (
        <Group gap="sm">
          <Text size="sm" c="dimmed">{t('cron.examples')}</Text>
          {cronExamples.map((cron) => <Anchor key={cron} component="button" type="button" size="sm" ff="monospace" onClick={() => change({ cron })}>{cron}</Anchor>)}
        </Group>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <ChoiceField label={t('cron.dialect')} at="schedule.dialect" value={draft.dialect} onChange={(dialect) => change({ dialect })} choices={[{ value: 'crontab', label: t('cron.crontab') }, { value: 'quartz', label: t('cron.quartz') }]} />
        <ZoneField draft={draft} change={change} />
      </SimpleGrid>
    </>
  );
}

export function ModeFields(props: ScheduleProps) {
  switch (props.draft.mode) {
    case 'days': return <Days {...props} />;
    case 'months': return <Months {...props} />;
    case 'every_days': return <EveryDays {...props} />;
    case 'window': return <Window {...props} />;
    case 'interval': return <Interval {...props} />;
    case 'once': return <Once {...props} />;
    case 'after': return <ParentField {...props} />;
    case 'cron': return <CronFields {...props} />;
    default: return null;
  }
}
