import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { Link } from '@/shared/Link';
import { usePreferences } from '@/shared/preferences';
import { Section } from '@/shared/Section';
import { Duration } from '@/shared/Times';
import { countedAddress } from './attention';
import classes from './Lines.module.css';
import type { Overview } from './queries';

type Totals = components['schemas']['Counts'];

const shown = ['fired', 'succeeded', 'failed', 'late', 'skipped', 'cancelled', 'open'] as const;
const bad: readonly string[] = ['failed', 'late'];

type Reach = Parameters<typeof countedAddress>[1];

/** A number that links to the list of what it counts. */
function Count({ measure, reach, count }: { measure: (typeof shown)[number]; reach: Reach; count: number }) {
  const { t, i18n } = useTranslation('overview');
  // The number is of the whole cluster, also while a project is chosen.
  const { project } = usePreferences();
  const to = count > 0 ? countedAddress(measure, reach, project !== '') : undefined;
  const text = count.toLocaleString(i18n.language);
  const colour = bad.includes(measure) && count > 0 ? 'red' : undefined;
  return (
    <Table.Td ta="right" c={colour}>
      {to ? <Link to={to} size="sm" c={colour ?? 'inherit'} underline="always" aria-label={`${t(`measure.${measure}`)}, ${t(`last.${reach}`)}: ${text}`}>{text}</Link> : text}
    </Table.Td>
  );
}

function Row({ reach, counts }: { reach: Reach; counts: Totals }) {
  const { t } = useTranslation('overview');
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.whole}>{t(`last.${reach}`)}</Table.Th>
      {shown.map((one) => <Count key={one} measure={one} reach={reach} count={counts[one]} />)}
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
      <Text size="sm" c="dimmed" mb="xs">{t('counts_help')}</Text>
      <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} aria-label={t('counts')} role="region">
        <Table verticalSpacing="xs" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th><Text size="sm" c="dimmed" component="span">{t('whole_cluster')}</Text></Table.Th>
              {shown.map((one) => <Table.Th key={one} ta="right" className={classes.whole}>{t(`measure.${one}`)}</Table.Th>)}
              <Table.Th ta="right" className={classes.whole}>{t('measure.lag_p50_ms')}</Table.Th>
              <Table.Th ta="right" className={classes.whole}>{t('measure.lag_p99_ms')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Row reach="hour" counts={data.last_hour} />
            <Row reach="day" counts={data.last_day} />
            <Row reach="month" counts={data.last_month} />
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}
