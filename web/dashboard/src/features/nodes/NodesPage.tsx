import { useTranslation } from 'react-i18next';
import { ErrorBox } from '@/shared/ErrorBox';
import { Facts } from '@/shared/Facts';
import { ChoiceFilter, FilterBar } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { PageHeader } from '@/shared/PageHeader';
import { Section } from '@/shared/Section';
import { Duration, RelativeTime } from '@/shared/Times';
import { type Condition, conditionOf } from './condition';
import { NodesTable } from './NodesTable';
import { useNodes } from './queries';
import { TermsTable } from './TermsTable';

const conditions: Condition[] = ['alive', 'draining', 'silent', 'cannot_plan', 'gone'];

export default function NodesPage() {
  const { t } = useTranslation('nodes');
  const { data, error, refetch } = useNodes();
  const filters = useFilters(['condition'] as const);
  const wanted = filters.values.condition;
  const master = data?.items.find((node) => node.master);
  const failover = data?.last_failover;
  return (
    <>
      <PageHeader title={t('title')} summary={master ? t('summary', { name: master.name, epoch: data?.lease?.epoch ?? 0 }) : data && t('no_master')} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && (
        <Section title={t('mastership')}>
          <Facts
            facts={[
              { label: t('master'), value: master?.name ?? data.lease?.owner ?? t('no_master') },
              { label: t('epoch'), value: data.lease?.epoch ?? '–' },
              { label: t('last_takeover'), value: failover ? <RelativeTime at={failover.at} /> : t('never') },
              { label: t('last_gap'), value: <Duration ms={data.last_gap_ms} /> },
            ]}
          />
        </Section>
      )}
      <Section title={t('nodes')}>
        <FilterBar used={filters.used} clear={filters.clear}>
          <ChoiceFilter
            label={t('state')} value={wanted} onChange={(condition) => filters.change({ condition })}
            choices={conditions.map((value) => ({ value, label: t(`condition.${value}`) }))}
          />
        </FilterBar>
        <NodesTable nodes={data?.items.filter((node) => wanted === '' || conditionOf(node) === wanted)} filtered={wanted !== ''} />
      </Section>
      <Section title={t('terms')}><TermsTable /></Section>
    </>
  );
}
