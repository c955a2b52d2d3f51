import { Group, Input, NativeSelect, NumberInput, Select, type SelectProps } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { below, makeRoom } from '@/shared/below';
import { zonesLike } from '@/shared/zones';
import { useFault } from './faults';
import type { ScheduleDraft } from './schedule_draft';

interface FieldProps {
  label: string;
  help?: string;
  /** The members of the definition whose refusals belong here. */
  at: string | string[];
}

const list = (at: string | string[]) => (typeof at === 'string' ? [at] : at);

interface NumberProps extends FieldProps {
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

export function NumberField({ label, help, at, value, min, max, onChange }: NumberProps) {
  const fault = useFault(...list(at));
  return (
    <NumberInput
      label={label} description={help} error={fault} value={value} min={min} max={max} allowDecimal={false} allowNegative={min < 0} clampBehavior="blur"
      onChange={(next) => onChange(typeof next === 'number' ? next : Math.max(0, min))}
    />
  );
}

const units = { ms: 1, s: 1000, min: 60000, h: 3600000, d: 86400000 } as const;
type Unit = keyof typeof units;

function unitOf(ms: number): Unit {
  if (ms === 0) return 's';
  return (['d', 'h', 'min', 's'] as const).find((unit) => ms % units[unit] === 0) ?? 'ms';
}

interface DurationProps extends FieldProps {
  ms: number;
  min?: number;
  onChange: (ms: number) => void;
}

/** A length of time as a number and a unit. */
export function DurationField({ label, help, at, ms, min = 0, onChange }: DurationProps) {
  const { t } = useTranslation('taskForm');
  const fault = useFault(...list(at));
  const id = useId();
  const [unit, setUnit] = useState<Unit>(unitOf(ms));
  // A default that is taken over from outside may not be a whole number of this unit.
  const shown = ms % units[unit] === 0 ? unit : unitOf(ms);
  return (
    <Input.Wrapper label={label} description={help} error={fault} id={id}>
      <Group gap={6} wrap="nowrap" mt={4}>
        <NumberInput
          id={id} value={ms / units[shown]} min={min > 0 ? 1 : 0} allowDecimal={false} allowNegative={false} error={fault !== undefined} flex={1} miw={70}
          onChange={(next) => onChange(Math.max(min, Math.round((typeof next === 'number' ? next : 0) * units[shown])))}
        />
        <NativeSelect
          aria-label={t('unit_of', { name: label })} value={shown} w={120} data={(Object.keys(units) as Unit[]).map((value) => ({ value, label: t(`unit.${value}`) }))}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value as Unit;
            setUnit(next);
            onChange((ms / units[shown]) * units[next]);
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

interface ChoiceProps<Value extends string> extends FieldProps {
  value: Value;
  choices: { value: Value; label: string }[];
  onChange: (value: Value) => void;
  more?: Partial<SelectProps>;
}

export function ChoiceField<Value extends string>({ label, help, at, value, choices, onChange, more }: ChoiceProps<Value>) {
  const fault = useFault(...list(at));
  return (
    <Select
      label={label} description={help} error={fault} value={value} data={choices} allowDeselect={false} comboboxProps={{ shadow: 'md' }} {...more}
      onChange={(next) => next !== null && onChange(next as Value)}
    />
  );
}

let zones: string[] | undefined;

const selectAll = ({ currentTarget }: { currentTarget: HTMLInputElement }) => currentTarget.select();

/** The zones that the browser knows; "New York" finds America/New_York. */
export function ZoneField({ draft: { zone: value, zoneBy }, change, help: purpose }: { draft: ScheduleDraft; change: (part: Partial<ScheduleDraft>) => void; help?: string }) {
  const { t } = useTranslation('taskForm');
  const help = zoneBy === 'default' ? t('zone_default') : purpose;
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
  const choices = (zones.includes(value) ? zones : [value, ...zones]).map((zone) => ({ value: zone, label: zone }));
  return (
    <ChoiceField
      label={t('zone')} at="schedule.zone" value={value} choices={choices} onChange={(zone) => change({ zone, zoneBy: 'person' })} {...(help ? { help } : {})}
      more={{ searchable: true, nothingFoundMessage: t('zone_none'), limit: 100, filter: zonesLike, comboboxProps: { shadow: 'md', ...below }, onFocus: (event) => { selectAll(event); makeRoom(event); }, onClick: selectAll }}
    />
  );
}
