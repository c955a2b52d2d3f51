import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LineChart } from '@/shared/LineChart';
import { Section } from '@/shared/Section';
import type { Overview } from './queries';
import { seriesOf } from './series';

type Reach = 'hour' | 'day';

/** What was executed and how late it began, over an hour by the minute or over a day by the hour. */
export function Trends({ seen: data }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  const [reach, setReach] = useState<Reach>('hour');
  const series = reach === 'hour' ? seriesOf(data.minutes, 60, Date.parse(data.at)) : seriesOf(data.hours, 3600, Date.parse(data.at));
  if (series.times.length < 2 && reach === 'hour') return null; // a line needs two points
  const lines = (measures: Parameters<typeof series.values>[0][], colours: string[]) =>
    measures.map((one, i) => ({ label: t(`measure.${one}`), colour: colours[i] ?? 'gray', values: series.values(one) }));
  const choice = (
    <SegmentedControl
      size="xs" value={reach} onChange={(value) => setReach(value as Reach)} aria-label={t('chart_reach')}
      data={[{ value: 'hour', label: t('reach.hour') }, { value: 'day', label: t('reach.day') }]}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" verticalSpacing={0}>
      <Section title={t(`chart_rate.${reach}`)} actions={choice}>
        <LineChart label={t(`chart_rate.${reach}`)} times={series.times} series={lines(['fired', 'failed', 'late'], ['blue', 'red', 'orange'])} />
      </Section>
      <Section title={t('chart_lag')}>
        <LineChart label={t('chart_lag')} times={series.times} series={lines(['lag_p50_ms', 'lag_p99_ms'], ['teal', 'orange'])} />
      </Section>
    </SimpleGrid>
  );
}
