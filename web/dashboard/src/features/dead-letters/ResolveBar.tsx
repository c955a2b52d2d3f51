import { Button, Group, List, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { type Resolve, useResolve } from './queries';

const done = ['retried', 'dismissed'];

/** Retry or dismiss for the chosen ones, and what became of those that could not be. */
export function ResolveBar({ executions, clear }: { executions: string[]; clear: () => void }) {
  const { t } = useTranslation(['deadLetters', 'shared']);
  const [asked, ask] = useState<Resolve | null>(null);
  const { mutate, data, isPending, error, reset } = useResolve();
  const left = data?.filter(({ outcome }) => !done.includes(outcome)) ?? [];
  function close() {
    ask(null);
    if (error) reset();
  }
  return (
    <div aria-live="polite">
      {executions.length > 0 && (
        <Paper withBorder p="xs" mb="sm" radius="md">
          <Group>
            <Text size="sm" fw={600}>{t('shared:selected', { count: executions.length })}</Text>
            <Button size="xs" onClick={() => ask('retry')}>{t('action.retry')}</Button>
            <Button size="xs" variant="default" onClick={() => ask('dismiss')}>{t('action.dismiss')}</Button>
          </Group>
        </Paper>
      )}
      {data && <Text size="sm" mb="sm">{t('resolved', { count: data.length - left.length })}</Text>}
      {left.length > 0 && (
        <List size="sm" mb="sm">
          {left.map(({ execution, outcome }) => <List.Item key={execution}>{`${execution}: ${t(`outcome.${outcome}`)}`}</List.Item>)}
        </List>
      )}
      {asked && (
        <ConfirmDialog
          opened title={t(`sure.${asked}`, { count: executions.length })} text={t(`help.${asked}`)} confirm={t(`action.${asked}`)}
          busy={isPending} error={error} onClose={close}
          onConfirm={() => mutate({ how: asked, executions }, { onSuccess: () => { clear(); ask(null); } })}
        />
      )}
    </div>
  );
}
