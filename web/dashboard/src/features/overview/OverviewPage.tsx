import { useTranslation } from 'react-i18next';
import { useNodes } from '@/features/nodes/queries';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Coming } from './Coming';
import { Figures } from './Figures';
import { useTrends } from './series';
import { ServicesInNeed } from './ServicesInNeed';
import { Trends } from './Trends';

export default function OverviewPage() {
  const { t } = useTranslation('overview');
  const { project } = usePreferences();
  const { data, error, refetch } = useNodes();
  const trends = useTrends();
  return (
    <>
      <PageHeader title={t('title')} summary={project === '' ? t('summary') : t('summary_project', { project })} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {data?.items.length === 0 && <EmptyState title={t('no_nodes')} help={t('no_nodes_help')} />}
      <Figures project={project} />
      <Trends trends={trends} />
      <ServicesInNeed project={project} />
      <Coming project={project} />
    </>
  );
}
