import { Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { PayloadField } from '@/features/payload/PayloadField';
import { targetOf } from '@/features/payload/queries';
import { jsonText, readJson } from '@/shared/JsonField';
import { useRun } from './changes';

export function RunDialog({ task, close }: { task: Task; close: () => void }) {
  const { t } = useTranslation('tasks');
  const [, go] = useLocation();
  const own = jsonText(task.payload ?? {});
  const [text, setText] = useState(own);
  const [force, setForce] = useState(false);
  const { mutate, isPending, error } = useRun();
  const read = readJson(text);
  function run() {
    if ('reason' in read) return;
    mutate({ id: task.id ?? '', payload: text === own ? undefined : read.value, force }, {
      onSuccess: ({ execution }) => {
        notifications.show({ message: t('run.started'), color: 'teal' });
        close();
        go(`/executions/${execution}`);
      },
    });
  }
  return (
    <ConfirmDialog opened title={t('run.title', { name: task.name })} text={t('help.run')} confirm={t('action.run')} busy={isPending} error={error} onConfirm={run} onClose={close}>
      <PayloadField label={t('run.payload')} value={text} onChange={setText} target={targetOf(task)} />
      <Checkbox label={t('run.force')} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
    </ConfirmDialog>
  );
}
