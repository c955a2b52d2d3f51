import { Alert, Group, Skeleton, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { State } from '@/api/types';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { useFilters } from '@/shared/filters';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Section } from '@/shared/Section';
import { ExactTime, useZone } from '@/shared/Times';
import { type Row, rowsOf } from './bars';
import { Chart } from './Chart';
import classes from './Chart.module.css';
import { barStyle } from './colour';
import { Controls } from './Controls';
import { type Coming, type Cut, mostFirings } from './further';
import { useComing, useExecutionsOf } from './queries';
import { chosenOf, lengthOf, rangeOf, ticksOf } from './range';

function Legend({ rows }: { rows: Row[] }) {
  const { t } = useTranslation();
  const states = new Set(rows.flatMap(({ bars }) => bars.map(({ state }): State => state)));
  return (
    <Group gap="md" mb="sm">
      {[...states].sort().map((state) => (
        <Group key={state} gap={6}>
          <span className={classes.sample} style={barStyle(state)} data-planned={state === 'planned' || undefined} aria-hidden="true" />
          <Text size="sm" span>{t(`state.${state}`)}</Text>
        </Group>
      ))}
    </Group>
  );
}

function useChosen() {
  const utc = useZone() === 'UTC';
  const { values, change } = useFilters(['date', 'from', 'hours'] as const);
  const { date, from } = chosenOf(values, utc);
  const length = lengthOf(values.hours);
  const range = useMemo(() => rangeOf(date, from, length, utc), [date, from, length, utc]);
  const ticks = useMemo(() => ticksOf(range, length), [range, length]);
  return { utc, date, length, range, ticks, change };
}

/** What of the firings to come is shown. */
function ComingHelp({ coming: { asked, others, cut } }: { coming: Coming }) {
  const { t } = useTranslation('day');
  if (!others && cut.length > 0) return null; // the tasks whose firings are missing are named
  return <>{' '}{others ? t('coming_others', { count: asked }) : t('coming_all')}</>;
}

/** Names the tasks that fire more often than is shown: an empty place does not mean that nothing runs. */
function CutTasks({ cut }: { cut: Cut[] }) {
  const { t } = useTranslation('day');
  if (cut.length === 0) return null;
  return (
    <Alert color="blue" mb="md" title={t('cut', { n: mostFirings })}>
      {cut.map(({ task, name, after }) => <div key={task}><Link to={`/tasks/${task}`} size="sm">{name}</Link>{': '}<Trans t={t} i18nKey="cut_after" components={{ at: <ExactTime at={after} /> }} /></div>)}
    </Alert>
  );
}

export default function DayPage() {
  const { t } = useTranslation('day');
  const { project } = usePreferences();
  const { range, ticks, ...chosen } = useChosen();
  const { data, error, refetch, dataUpdatedAt } = useExecutionsOf(project, range);
  const coming = useComing(project, range);
  const rows = useMemo(
    () => data && rowsOf(data.items, range, dataUpdatedAt, coming.data?.items),
    [data, range, dataUpdatedAt, coming.data],
  );
  const now = range.begin <= dataUpdatedAt && dataUpdatedAt < range.end ? dataUpdatedAt : null;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <Controls range={range} {...chosen} />
      <ErrorBox error={error ?? coming.error} retry={() => void refetch()} />
      <div aria-live="polite">{data?.allFrom && <Alert color="yellow" mb="md"><Trans t={t} i18nKey={data.failuresMissing ? 'more_failures' : 'more'} components={{ at: <ExactTime at={data.allFrom} /> }} /></Alert>}</div>
      {!rows && !error && <Skeleton height={320} />}
      <CutTasks cut={coming.data?.cut ?? []} />
      {rows?.length === 0 && !coming.data?.cut.length && <EmptyState title={t('none')} help={t('none_help')} />}
      {rows && rows.length > 0 && (
        <Section title={t('chart')}>
          <Legend rows={rows} />
          <Text id="day-keys" size="sm" c="dimmed" mb="sm">{t('keys')}{coming.data && <ComingHelp coming={coming.data} />}</Text>
          <Chart rows={rows} range={range} ticks={ticks} now={now} />
        </Section>
      )}
    </>
  );
}
