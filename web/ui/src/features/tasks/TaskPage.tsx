import { Alert, Box, Skeleton, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import type { Task } from '@/api/types';
import { addressOf } from '@/features/services/address';
import { useNeed } from '@/features/services/queries';
import { ErrorBox } from '@/shared/ErrorBox';
import { Facts } from '@/shared/Facts';
import { JsonField, jsonText } from '@/shared/JsonField';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { isPause, useServerWords } from '@/shared/server_words';
import { Section } from '@/shared/Section';
import { RelativeTime, TaskZone } from '@/shared/Times';
import { TaskState } from './columns';
import { useScheduleText } from './form/schedule_sentence';
import { LastExecutions } from './LastExecutions';
import { NextFirings } from './NextFirings';
import { PoliciesPanel } from './PoliciesPanel';
import { useTask } from './queries';
import { TaskActions } from './TaskActions';
import { SkippedRanges } from './SkippedRanges';
import { Versions } from './Versions';
import { zoneOf } from './zone_of';

function TaskFacts({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const zone = zoneOf(task);
  return (
    <Facts
      facts={[
        { label: t('facts.project'), value: task.project },
        { label: t('facts.service'), value: <Link to={addressOf({ project: task.project ?? '', service: task.service })} size="sm">{task.service}</Link> },
        { label: t('facts.handler'), value: task.handler },
        { label: t('labels'), value: Object.entries(task.labels ?? {}).map(([name, value]) => `${name}: ${String(value)}`).join(', ') || t('facts.no_limit') },
        ...(task.owner ? [{ label: t('facts.owner'), value: task.owner }] : []),
        { label: t('facts.priority'), value: task.priority },
        { label: t('facts.version'), value: task.version },
        { label: t('facts.created'), value: <RelativeTime at={task.created_at} zone={zone} /> },
        { label: t('facts.updated'), value: <RelativeTime at={task.updated_at} zone={zone} /> },
      ]}
    />
  );
}

function Standstill({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const words = useServerWords();
  const { paused, project = '', service } = task;
  // A pause also stops the schedule; the page mentions the pause once.
  const parked = task.parked_reason ?? '';
  return (
    <>
      {paused && (
        <Alert color="yellow" mb="md">
          {t(`paused_why.${paused.of}${paused.begun_by ? '_by' : ''}`, { name: paused.of === 'project' ? project : service, by: paused.begun_by, reason: paused.reason })}
          {' · '}<RelativeTime at={paused.begun_at} />
          {' · '}<Link to={paused.of === 'project' ? `/projects/${encodeURIComponent(project)}` : addressOf({ project, service })} size="sm">{t(`paused_show.${paused.of}`)}</Link>
        </Alert>
      )}
      {task.parked_at && !(paused && isPause(parked)) && <Alert color="orange" mb="md">{t('parked_why', { reason: words(parked) })}</Alert>}
    </>
  );
}

/** Tells that no client can run the task, and how to get one. */
function NoClient({ task: { project = '', service, handler } }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const { data: need } = useNeed(project, service, handler);
  if (!need) return null;
  return (
    <Alert color="orange" mb="md" title={t(`need.title.${need}`, { service, handler })}>
      {t(`need.help.${need}`, { service, handler })}{' '}
      <Link to={addressOf({ project, service })} size="sm">{t('paused_show.service')}</Link>
    </Alert>
  );
}

export default function TaskPage() {
  const { t } = useTranslation('tasks');
  const schedule = useScheduleText();
  const { id = '' } = useParams<{ id: string }>();
  const { data: task, error, refetch } = useTask(id);
  if (error && !task) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!task) return <Skeleton height={320} />;
  const hasPayload = task.payload !== undefined && jsonText(task.payload) !== '{}';
  return (
    <TaskZone.Provider value={zoneOf(task)}>
      <PageHeader
        title={task.name} badge={<TaskState task={task} />} actions={<TaskActions task={task} />}
        summary={<><Text span>{schedule(task)}</Text>{task.description && <Text mt={4}>{task.description}</Text>}</>}
      />
      <Standstill task={task} />
      {task.enabled && <NoClient task={task} />}
      <LastExecutions task={id} zone={zoneOf(task)} paused={Boolean(task.paused)} />
      <NextFirings task={task} zone={zoneOf(task)} />
      <SkippedRanges task={id} />
      <PoliciesPanel task={task} />
      <Section title={t('facts.title')}>
        <TaskFacts task={task} />
        {hasPayload && <Box mt="lg"><JsonField label={t('facts.payload')} value={jsonText(task.payload)} /></Box>}
      </Section>
      <Versions task={task} />
    </TaskZone.Provider>
  );
}
