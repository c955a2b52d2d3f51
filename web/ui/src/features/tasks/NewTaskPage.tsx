import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { ErrorBox } from '@/shared/ErrorBox';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { copyOf, emptyTask, taskDraftOf } from './form/task_draft';
import { TaskForm } from './form/TaskForm';
import { useTask } from './queries';
import { viewerZone } from '@/shared/viewer_zone';

function Copy({ id }: { id: string }) {
  const { data: task, error, refetch } = useTask(id);
  if (error && !task) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!task) return <Skeleton height={320} />;
  return <TaskForm key={id} start={copyOf(taskDraftOf(task, viewerZone()))} />;
}

/** A form for a new task, empty or like another one (?copy=ID). */
export default function NewTaskPage() {
  const { t } = useTranslation('taskForm');
  const { project } = usePreferences();
  const [search] = useSearchParams();
  const copied = search.get('copy');
  return (
    <>
      <PageHeader title={t(copied ? 'copy_title' : 'new_title')} summary={t('new_summary')} />
      {copied ? <Copy id={copied} /> : <TaskForm start={emptyTask(project, viewerZone())} />}
    </>
  );
}
