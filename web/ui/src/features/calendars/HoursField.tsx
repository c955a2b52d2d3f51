import { Button, Fieldset, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Hours, weekdays } from './draft';

/** Parts of days of the week, each of them a line. */
export function HoursField({ value, onChange }: { value: Hours[]; onChange: (next: Hours[]) => void }) {
  const { t } = useTranslation(['calendars', 'shared']);
  const change = (place: number, part: Partial<Hours>) => onChange(value.map((one, at) => (at === place ? { ...one, ...part } : one)));
  return (
    <Fieldset aria-label={t('hours_title')} variant="unstyled">
      <Stack gap="xs">
        {value.map((one, place) => (
          <Group key={place} gap="xs" align="flex-end">
            <MultiSelect
              label={t('hours_days')} value={one.days} flex="1 1 200px" placeholder={one.days.length === 0 ? t('every_day') : ''} comboboxProps={{ withinPortal: true }}
              data={weekdays.map((day) => ({ value: day, label: t(`shared:weekday.${day}`) }))}
              onChange={(next) => change(place, { days: weekdays.filter((day) => next.includes(day)) })}
            />
            <TextInput type="time" label={t('hours_from')} value={one.from} onChange={({ currentTarget }) => change(place, { from: currentTarget.value })} w={120} />
            <TextInput type="time" label={t('hours_until')} value={one.until} onChange={({ currentTarget }) => change(place, { until: currentTarget.value })} w={120} />
            <Button variant="subtle" color="red" onClick={() => onChange(value.filter((_, at) => at !== place))}>{t('hours_remove')}</Button>
          </Group>
        ))}
        <Group><Button size="xs" variant="default" onClick={() => onChange([...value, { days: [], from: '09:00', until: '17:00' }])}>{t('hours_add')}</Button></Group>
      </Stack>
    </Fieldset>
  );
}
