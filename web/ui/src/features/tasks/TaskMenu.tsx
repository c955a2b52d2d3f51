import { ActionIcon, Menu } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { IconDots } from '@/shared/icons';
import { type Action, useAction } from './changes';
import { RunDialog } from './RunDialog';

/** What can be done to one task of the list. */
export function TaskMenu({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const [asked, ask] = useState<Action | 'run' | null>(null);
  const { mutate, isPending, error, reset } = useAction();
  const turn: Action = task.enabled ? 'disable' : 'enable';
  const target = useRef<HTMLButtonElement>(null);
  // The item that opened the dialog is gone with its menu, so the focus goes back to the menu's button.
  function close() {
    ask(null);
    reset();
    window.setTimeout(() => target.current?.focus(), 250);
  }
  return (
    <>
      <Menu position="bottom-end" withArrow shadow="md">
        <Menu.Target>
          <ActionIcon ref={target} variant="subtle" color="gray" aria-label={t('actions_of', { name: task.name })}><IconDots size={18} /></ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => ask('run')}>{t('action.run')}</Menu.Item>
          <Menu.Item component={Link} href={`/executions?task=${task.id}`}>{t('last.all')}</Menu.Item>
          <Menu.Item onClick={() => ask(turn)}>{t(`action.${turn}`)}</Menu.Item>
          <Menu.Item color="red" onClick={() => ask('delete')}>{t('action.delete')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === 'run' && <RunDialog task={task} close={close} />}
      {asked !== null && asked !== 'run' && (
        <ConfirmDialog
          opened title={t(`sure.${asked}`, { name: task.name })} text={t(`help.${asked}`)} confirm={t(`action.${asked}`)}
          danger={asked === 'delete'} busy={isPending} error={error} onConfirm={() => mutate({ action: asked, task }, { onSuccess: close })} onClose={close}
        />
      )}
    </>
  );
}
