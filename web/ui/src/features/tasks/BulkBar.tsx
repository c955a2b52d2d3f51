import { Button, Group, List, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { useProblemWords } from '@/shared/problems';
import { type Action, useBulkAction } from './changes';

const actions: Action[] = ['enable', 'disable', 'delete'];

/** What can be done to the selected tasks at once. Tells which of them refused. */
export function BulkBar({ tasks, clear }: { tasks: Task[]; clear: () => void }) {
  const { t } = useTranslation(['tasks', 'shared']);
  const [asked, ask] = useState<Action | null>(null);
  const words = useProblemWords();
  const { mutate, data: result, isPending, reset } = useBulkAction();
  function run() {
    if (!asked) return;
    mutate({ action: asked, tasks }, { onSuccess: clear, onSettled: () => ask(null) });
  }
  return (
    <div aria-live="polite">
      {tasks.length > 0 && (
        <Paper withBorder p="xs" mb="sm" radius="md">
          <Group>
            <Text size="sm" fw={600}>{t('shared:selected', { count: tasks.length })}</Text>
            {actions.map((action) => (
              <Button key={action} size="xs" variant="default" color={action === 'delete' ? 'red' : undefined} onClick={() => { reset(); ask(action); }}>
                {t(`action.${action}`)}
              </Button>
            ))}
          </Group>
        </Paper>
      )}
      {result && result.refused.length > 0 && (
        <Paper withBorder p="sm" mb="sm" radius="md">
          <Text size="sm" fw={600}>{t('bulk_refused', { count: result.refused.length })}</Text>
          <List size="sm">{result.refused.map(({ name, reason }) => <List.Item key={name}>{`${name}: ${words(reason)}`}</List.Item>)}</List>
        </Paper>
      )}
      {asked && (
        <ConfirmDialog
          opened title={t(`bulk.${asked}`, { count: tasks.length })} text={t(`help.${asked}`)} confirm={t(`action.${asked}`)}
          danger={asked === 'delete'} busy={isPending} onConfirm={run} onClose={() => ask(null)}
        >
          <List size="sm">{tasks.slice(0, 10).map((task) => <List.Item key={task.id}>{task.name}</List.Item>)}</List>
        </ConfirmDialog>
      )}
    </div>
  );
}
