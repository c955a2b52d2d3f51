import { ActionIcon, Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Calendar } from '@/api/types';
import { IconChevronLeft, IconChevronRight } from '@/shared/icons';
import classes from './Year.module.css';
import { countOf, type Day, monthsOf } from './year';

function DayCell({ day: { date, mark } }: { day: Day }) {
  const { t } = useTranslation('calendars');
  const number = Number(date.slice(8));
  return <span className={classes.day} data-mark={mark} title={mark && `${date}: ${t(`marks.${mark}`)}`}>{number}</span>;
}

/** The days of a calendar on the sheets of a year. */
export function Year({ content }: { content: Pick<Calendar, 'dates' | 'yearly' | 'weekly'> }) {
  const { t, i18n } = useTranslation('calendars');
  const [year, show] = useState(() => new Date().getFullYear());
  const months = useMemo(() => monthsOf(content, year), [content, year]);
  const name = new Intl.DateTimeFormat(i18n.language, { month: 'long', timeZone: 'UTC' });
  const [whole, part] = [countOf(months, 'whole'), countOf(months, 'part')];
  return (
    <div>
      <Group gap="xs" mb="sm">
        <ActionIcon variant="default" aria-label={t('year_before')} onClick={() => show(year - 1)}><IconChevronLeft size={16} /></ActionIcon>
        <Text fw={600} aria-live="polite">{year}</Text>
        <ActionIcon variant="default" aria-label={t('year_after')} onClick={() => show(year + 1)}><IconChevronRight size={16} /></ActionIcon>
        <Group gap={6} ml="sm"><span className={classes.sample} data-mark="whole" aria-hidden="true" /><Text size="sm">{t('whole_days', { count: whole })}</Text></Group>
        {part > 0 && <Group gap={6}><span className={classes.sample} data-mark="part" aria-hidden="true" /><Text size="sm">{t('part_days', { count: part })}</Text></Group>}
      </Group>
      <div className={classes.months} role="img" aria-label={t('year_label', { year, count: whole + part })}>
        {months.map(({ month, before, days }) => (
          <div key={month}>
            <Text size="xs" fw={600} mb={4}>{name.format(Date.UTC(2000, month, 1))}</Text>
            <div className={classes.days}>
              {Array.from({ length: before }, (_, at) => <span key={at} />)}
              {days.map((day) => <DayCell key={day.date} day={day} />)}
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
