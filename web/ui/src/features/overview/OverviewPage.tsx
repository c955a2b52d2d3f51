import { Skeleton } from '@mantine/core';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
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
import { type Overview, useOverview } from './queries';
import { ServicesInNeed } from './ServicesInNeed';
import { SlowTasks } from './SlowTasks';
import { Trends } from './Trends';

function Lists({ seen, project }: { seen: Overview; project: string }) {
  return (
    <>
      <div className={classes.columns}>
        {seen.clients.unreachable > 0 && <LostClients project={project} />}
        <ServicesInNeed unserved={seen.services_without_client} paused={seen.paused} morePaused={seen.more_paused} />
      </div>
      <Counts seen={seen} />
      <Trends seen={seen} />
      <div className={classes.columns}>
        <div>
          <FailingTasks tasks={seen.failing} />
          <SlowTasks tasks={seen.slow} />
        </div>
        <div><Coming firings={seen.due_next} /></div>
      </div>
    </>
  );
}

function Content({ seen, project }: { seen: Overview; project: string }) {
  // The numbers are painted first: the lists below them take several times as long. A page for a test has both at once.
  const whole = useDeferredValue(true, import.meta.env.SSR);
  return (
    <>
      {project === '' && <FirstSteps seen={seen} />}
      <Figures seen={seen} />
      {whole ? <Lists seen={seen} project={project} /> : <Skeleton height={320} />}
    </>
  );
}

export default function OverviewPage() {
  const { t } = useTranslation('overview');
  const { project } = usePreferences();
  const { data, error, refetch } = useOverview(project);
  return (
    <>
      <PageHeader title={t('title')} summary={project === '' ? t('summary') : t('summary_project', { project })} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {data ? <Content seen={data} project={project} /> : !error && <Skeleton height={96} mb="md" />}
    </>
  );
}
