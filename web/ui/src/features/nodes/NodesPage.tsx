import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorBox } from '@/shared/ErrorBox';
import { ChoiceFilter, FilterBar } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { PageHeader } from '@/shared/PageHeader';
import { Section } from '@/shared/Section';
import { type Condition, conditionOf, present, versionsOf } from './condition';
import { Mastership } from './Mastership';
import { NodesTable } from './NodesTable';
import { useNodes } from './queries';
import { TermsTable } from './TermsTable';
import { Zones } from './Zones';

const conditions: Condition[] = ['alive', 'draining', 'silent', 'cut_off', 'part_failed', 'cannot_plan', 'gone'];

export default function NodesPage() {
  const { t } = useTranslation('nodes');
  const { data, error, refetch } = useNodes();
  const filters = useFilters(['condition'] as const);
  const wanted = filters.values.condition;
  const master = data?.items.find((node) => node.master);
  const nodes = data && (wanted === '' ? present(data.items) : data.items.filter((node) => conditionOf(node) === wanted));
  const versions = versionsOf(data?.items ?? []);
  return (
    <>
      <PageHeader title={t('title')} summary={master ? t('summary', { name: master.name, epoch: data?.lease?.epoch ?? 0 }) : data && t('no_master')} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && <Mastership master={master} lease={data.lease} failover={data.last_failover} gap={data.last_gap_ms} />}
      <Section title={t('nodes')}>
        <FilterBar used={filters.used} clear={filters.clear}>
          <ChoiceFilter
            label={t('state')} value={wanted} onChange={(condition) => filters.change({ condition })}
            choices={conditions.map((value) => ({ value, label: t(`condition.${value}`) }))}
          />
        </FilterBar>
        {versions.length > 0 && <Text size="sm" mb="sm">{t('versions', { list: versions.map(({ version, nodes: count }) => t('version_on', { version, count })).join(', ') })}</Text>}
        <NodesTable nodes={nodes} filtered={wanted !== ''} />
      </Section>
      <Section title={t('terms')}><TermsTable /></Section>
      <Zones />
    </>
  );
}
