import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { type Action, useAction } from './changes';
import { RunDialog } from './RunDialog';

export function TaskActions({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const [, go] = useLocation();
  const [asked, ask] = useState<Action | null>(null);
  const [running, run] = useState(false);
  const { mutate, isPending, error, reset } = useAction();
  const turn: Action = task.enabled ? 'disable' : 'enable';
  function close() {
    ask(null);
    reset();
  }
  function act(action: Action) {
    mutate({ action, task }, {
      onSuccess: () => {
        close();
        if (action === 'delete') go('/tasks');
      },
    });
  }
  return (
    <>
      <Button onClick={() => run(true)}>{t('action.run')}</Button>
      <Button variant="default" component={Link} href={`/tasks/${task.id}/edit`}>{t('action.edit')}</Button>
      <Button variant="default" component={Link} href={`/tasks/new?copy=${task.id}`}>{t('action.copy')}</Button>
      <Button variant="default" onClick={() => ask(turn)}>{t(`action.${turn}`)}</Button>
      <Button variant="subtle" color="red" onClick={() => ask('delete')}>{t('action.delete')}</Button>
      {running && <RunDialog task={task} close={() => run(false)} />}
      {asked && (
        <ConfirmDialog
          opened title={t(`sure.${asked}`, { name: task.name })} text={t(`help.${asked}`)} confirm={t(`action.${asked}`)}
          danger={asked === 'delete'} busy={isPending} error={error} onConfirm={() => act(asked)} onClose={close}
        />
      )}
    </>
  );
}
