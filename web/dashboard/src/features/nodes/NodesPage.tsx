import { useTranslation } from 'react-i18next';
import { ErrorBox } from '@/shared/ErrorBox';
import { Facts } from '@/shared/Facts';
import { PageHeader } from '@/shared/PageHeader';
import { Section } from '@/shared/Section';
import { Duration, RelativeTime } from '@/shared/Times';
import { NodesTable } from './NodesTable';
import { useNodes } from './queries';
import { TermsTable } from './TermsTable';

export default function NodesPage() {
  const { t } = useTranslation('nodes');
  const { data, error, refetch } = useNodes();
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
      <Section title={t('nodes')}><NodesTable nodes={data?.items} /></Section>
      <Section title={t('terms')}><TermsTable /></Section>
    </>
  );
}
