import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { Section } from '@/shared/Section';
import { Duration } from '@/shared/Times';
import classes from './Lines.module.css';
import type { Overview } from './queries';

type Totals = components['schemas']['Counts'];

const shown = ['fired', 'succeeded', 'failed', 'late', 'skipped', 'cancelled', 'open'] as const;
const bad: readonly string[] = ['failed', 'late'];

function Row({ name, counts }: { name: string; counts: Totals }) {
  const { i18n } = useTranslation();
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.whole}>{name}</Table.Th>
      {shown.map((one) => (
        <Table.Td key={one} ta="right" c={bad.includes(one) && counts[one] > 0 ? 'red' : undefined}>
          {counts[one].toLocaleString(i18n.language)}
        </Table.Td>
      ))}
      <Table.Td ta="right"><Duration ms={counts.lag_p50_ms} /></Table.Td>
      <Table.Td ta="right"><Duration ms={counts.lag_p99_ms} /></Table.Td>
    </Table.Tr>
  );
}

/** How many executions of the last hour, day and month ended how. There is nothing before the first count. */
export function Counts({ seen: data }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  if (!data.counted_to || data.last_month.fired + data.last_month.skipped + data.last_month.cancelled === 0) return null;
  return (
    <Section title={t('counts')}>
      <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} aria-label={t('counts')} role="region">
        <Table verticalSpacing="xs" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th><Text size="sm" c="dimmed" component="span">{t('whole_cluster')}</Text></Table.Th>
              {shown.map((one) => <Table.Th key={one} ta="right" className={classes.whole}>{t(`measure.${one}`)}</Table.Th>)}
              <Table.Th ta="right">{t('measure.lag_p50_ms')}</Table.Th>
              <Table.Th ta="right">{t('measure.lag_p99_ms')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Row name={t('last.hour')} counts={data.last_hour} />
            <Row name={t('last.day')} counts={data.last_day} />
            <Row name={t('last.month')} counts={data.last_month} />
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}
