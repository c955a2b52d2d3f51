import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNodes } from '@/features/nodes/queries';
import { useAllServices, useClients } from '@/features/services/queries';
import { ErrorBox } from '@/shared/ErrorBox';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { Coming } from './Coming';
import { Counts } from './Counts';
import { FailingTasks } from './FailingTasks';
import { Figures } from './Figures';
import { FirstSteps } from './FirstSteps';
import classes from './Lines.module.css';
import { LostClients } from './LostClients';
import { useComing, useFailures, useOpenLetters, useOverview } from './queries';
import { ServicesInNeed } from './ServicesInNeed';
import { Trends } from './Trends';

export default function OverviewPage() {
  const { t } = useTranslation('overview');
  const { project } = usePreferences();
  const nodes = useNodes();
  // A number that could not be read must not look like one that is zero.
  const queries = [nodes, useClients(), useAllServices(project, true), useOpenLetters(project), useFailures(project), useComing(project), useOverview()];
  const failed = queries.find(({ error }) => error !== null);
  return (
    <>
      <PageHeader title={t('title')} summary={project === '' ? t('summary') : t('summary_project', { project })} />
      <ErrorBox error={failed?.error} retry={() => queries.forEach(({ refetch }) => void refetch())} />
      {!nodes.data && !failed && <Skeleton height={96} mb="md" />}
      <FirstSteps />
      <Figures project={project} />
      <Counts />
      <Trends />
      <div className={classes.columns}>
        <FailingTasks project={project} />
        <LostClients project={project} />
        <ServicesInNeed project={project} />
        <Coming project={project} />
      </div>
    </>
  );
}
