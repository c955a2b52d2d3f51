import { Button, Chip, Group, Input, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFault } from './faults';
import { businessDays, inOrder, same, weekdays, weekend, type Weekday } from './weekdays';

interface Props {
  value: Weekday[];
  onChange: (days: Weekday[]) => void;
  at: string;
}

const sets = { every_day: [...weekdays], business_days: businessDays, weekend };

/** The days of the week, one by one, or as the sets that people name. */
export function DayPicker({ value, onChange, at }: Props) {
  const { t } = useTranslation('taskForm');
  const fault = useFault(at);
  return (
    <Input.Wrapper label={t('days')} error={fault} role="group" aria-label={t('days')}>
      <Stack gap="xs" mt={4}>
        <Group gap="xs">
          {(Object.keys(sets) as (keyof typeof sets)[]).map((name) => (
            <Button key={name} size="xs" variant={same(value, sets[name]) ? 'filled' : 'default'} aria-pressed={same(value, sets[name])} onClick={() => onChange([...sets[name]])}>
              {t(`day_set.${name}`)}
            </Button>
          ))}
        </Group>
        <Chip.Group multiple value={value} onChange={(days) => onChange(inOrder(days))}>
          <Group gap={6}>
            {weekdays.map((day) => <Chip key={day} value={day} size="sm" radius="sm">{t(`day.${day}`)}</Chip>)}
          </Group>
        </Chip.Group>
      </Stack>
    </Input.Wrapper>
  );
}
