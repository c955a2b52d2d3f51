import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconChevronLeft, IconChevronRight } from '@/shared/icons';
import { hourToShow, isDate, type Length, lengthOf, lengths, placeOf, type Range } from './range';

interface Props {
  date: string;
  length: Length;
  range: Range;
  utc: boolean;
  change: (next: { date?: string; from?: string; hours?: string }) => void;
}

/** Which day, or which hours of it. */
export function Controls({ date, length, range, utc, change }: Props) {
  const { t } = useTranslation('day');
  function goTo(at: number) {
    const place = placeOf(at, utc);
    change({ date: place.date, from: String(place.from) });
  }
  return (
    <Group gap="sm" mb="md" align="flex-end">
      <TextInput
        type="date" label={t('date')} value={date}
        onChange={({ currentTarget }) => isDate(currentTarget.value) && change({ date: currentTarget.value, from: '0' })}
      />
      <NativeSelect
        label={t('length')} value={String(length)} data={lengths.map((value) => ({ value: String(value), label: t(`lengths.${value}`) }))}
        onChange={({ currentTarget }) => change({ hours: currentTarget.value, from: String(hourToShow(range, lengthOf(currentTarget.value), utc)) })}
      />
      <Group gap="sm" wrap="nowrap">
        <ActionIcon size="lg" variant="default" aria-label={t('earlier')} onClick={() => goTo(range.begin - (length === 24 ? 1 : length * 3600000))}>
          <IconChevronLeft size={18} />
        </ActionIcon>
        <ActionIcon size="lg" variant="default" aria-label={t('later')} onClick={() => goTo(range.end)}><IconChevronRight size={18} /></ActionIcon>
      </Group>
      <Button variant="default" onClick={() => goTo(Date.now())}>{t('today')}</Button>
      <Button variant="default" onClick={() => change({ date: '', from: 'now', hours: '12' })}>{t('ahead')}</Button>
    </Group>
  );
}
