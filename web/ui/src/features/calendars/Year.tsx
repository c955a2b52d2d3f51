import { ActionIcon, Group, Text, VisuallyHidden } from '@mantine/core';
import { useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Calendar } from '@/api/types';
import { IconChevronLeft, IconChevronRight } from '@/shared/icons';
import { useZone } from '@/shared/Times';
import { dayAt, hasDate } from './days';
import classes from './Year.module.css';
import { countOf, type Day, type Month, monthsOf, todayIn } from './year';

type Content = Pick<Calendar, 'dates' | 'yearly' | 'weekly' | 'zone'>;

const numberOf = (date: string) => Number(date.slice(8));

function DayCell({ day: { date, mark }, today }: { day: Day; today: boolean }) {
  const { t } = useTranslation('calendars');
  return <span className={classes.day} data-mark={mark} data-today={today || undefined} title={mark && `${date}: ${t(`marks.${mark}`)}`}>{numberOf(date)}</span>;
}

interface ButtonProps {
  day: Day;
  today: boolean;
  /** Tab reaches this one; arrows lead on to others. */
  current: boolean;
  /** It is one of the single dates. */
  single: boolean;
}

function DayButton({ day: { date, mark }, today, current, single }: ButtonProps) {
  const { t, i18n } = useTranslation('calendars');
  const name = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
  return (
    <button
      type="button" className={classes.day} data-mark={mark} data-date={date} data-today={today || undefined} aria-current={today ? 'date' : undefined}
      tabIndex={current ? 0 : -1} aria-pressed={single} aria-label={mark ? `${name}: ${t(`marks.${mark}`)}` : name}
    >
      {numberOf(date)}
    </button>
  );
}

/** The keys, clicks and announcements of days that can be chosen. */
function usePicker(year: number, today: string, content: Content, toggle: ((date: string) => void) | undefined) {
  const { t } = useTranslation('calendars');
  const box = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState('');
  const [said, say] = useState('');
  const current = [chosen, today].find((date) => date.startsWith(String(year))) ?? `${year}-01-01`;
  const dateOf = (event: { target: EventTarget }) => (event.target as Element).closest<HTMLElement>('[data-date]')?.dataset.date;
  function keys(event: KeyboardEvent) {
    const date = dateOf(event);
    const next = date && dayAt(date, event.key);
    if (!next) return;
    event.preventDefault();
    choose(next);
    box.current?.querySelector<HTMLElement>(`[data-date="${next}"]`)?.focus();
  }
  function click(event: MouseEvent) {
    const date = dateOf(event);
    if (!date || !toggle) return;
    choose(date);
    say(t(hasDate(content.dates ?? [], date) ? 'day_removed' : 'day_added', { date }));
    toggle(date);
  }
  return { box, current, said, keys, click };
}

function Sheets({ months, show }: { months: Month[]; show: (day: Day) => ReactNode }) {
  const { i18n } = useTranslation();
  const name = new Intl.DateTimeFormat(i18n.language, { month: 'long', timeZone: 'UTC' });
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'narrow', timeZone: 'UTC' });
  // The first day of 2001 was a Monday.
  const headings = Array.from({ length: 7 }, (_, at) => weekday.format(Date.UTC(2001, 0, 1 + at)));
  return months.map(({ month, before, days }) => (
    <div key={month}>
      <Text size="xs" fw={600} mb={4}>{name.format(Date.UTC(2000, month, 1))}</Text>
      <div className={classes.days}>
        {headings.map((heading, at) => <span key={at} className={classes.heading} aria-hidden="true">{heading}</span>)}
        {Array.from({ length: before }, (_, at) => <span key={at} />)}
        {days.map(show)}
      </div>
    </div>
  ));
}

/** The days of a calendar on the sheets of a year. `toggle`: a click on a day adds it to the single dates, or takes it out of them. */
export function Year({ content, toggle }: { content: Content; toggle?: (date: string) => void }) {
  const { t } = useTranslation('calendars');
  const today = todayIn(useZone(content.zone));
  const [year, show] = useState(Number(today.slice(0, 4)));
  const months = useMemo(() => monthsOf(content, year), [content, year]);
  const [whole, part] = [countOf(months, 'whole'), countOf(months, 'part')];
  const { box, current, said, keys, click } = usePicker(year, today, content, toggle);
  const label = t('year_label', { year, count: whole + part });
  return (
    <div>
      <Group gap="xs" mb="sm">
        <ActionIcon variant="default" aria-label={t('year_before')} onClick={() => show(year - 1)}><IconChevronLeft size={16} /></ActionIcon>
        <Text fw={600} aria-live="polite">{year}</Text>
        <ActionIcon variant="default" aria-label={t('year_after')} onClick={() => show(year + 1)}><IconChevronRight size={16} /></ActionIcon>
        <Group gap={6} ml="sm"><span className={classes.sample} data-mark="whole" aria-hidden="true" /><Text size="sm">{t('whole_days', { count: whole })}</Text></Group>
        {part > 0 && <Group gap={6}><span className={classes.sample} data-mark="part" aria-hidden="true" /><Text size="sm">{t('part_days', { count: part })}</Text></Group>}
      </Group>
      {toggle
        ? (
          <div ref={box} className={classes.months} data-picks role="group" aria-label={label} onKeyDown={keys} onClick={click}>
            <Sheets months={months} show={(day) => <DayButton key={day.date} day={day} today={day.date === today} current={day.date === current} single={hasDate(content.dates ?? [], day.date)} />} />
          </div>
        )
        : <div className={classes.months} role="img" aria-label={label}><Sheets months={months} show={(day) => <DayCell key={day.date} day={day} today={day.date === today} />} /></div>}
      {toggle && <VisuallyHidden role="status">{said}</VisuallyHidden>}
    </div>
  );
}
