import { Alert, Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import type { Task } from '@/api/types';
import { ErrorBox } from '@/shared/ErrorBox';
import { PageHeader } from '@/shared/PageHeader';
import { useScheduleText } from './form/schedule_sentence';
import { taskDraftOf } from './form/task_draft';
import { TaskForm } from './form/TaskForm';
import { useTask } from './queries';
import { viewerZone } from '@/shared/viewer_zone';

/** The form of one version. If another has changed the task meanwhile, it says so before the server refuses. */
function Editor({ task }: { task: Task }) {
  const { t } = useTranslation('taskForm');
  const [base, begin] = useState(task);
  const schedule = useScheduleText();
  return (
    <>
      <PageHeader title={t('edit_title', { name: base.name })} summary={schedule(base)} />
      {task.version !== base.version && (
        <Alert color="orange" mb="md">
          <Text size="sm" mb="xs">{t('changed_meanwhile')}</Text>
          <Button size="xs" variant="default" onClick={() => begin(task)}>{t('take_present')}</Button>
        </Alert>
      )}
      <TaskForm key={base.version} task={base} start={taskDraftOf(base, viewerZone())} />
    </>
  );
}

export default function EditTaskPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: task, error, refetch } = useTask(id);
  if (error && !task) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!task) return <Skeleton height={320} />;
  return <Editor key={id} task={task} />;
}
