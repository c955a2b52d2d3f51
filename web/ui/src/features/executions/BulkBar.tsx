import { Button, Group, List, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Execution } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { useProblemWords } from '@/shared/problems';
import { canCancel, canRetry } from './possible';
import { type BulkDone, useBulk } from './queries';

type Deed = 'cancel' | 'retry';
const mostNamed = 10;

function Done({ done: { done, refused } }: { done: BulkDone }) {
  const { t } = useTranslation('executions');
  const words = useProblemWords();
  return (
    <Paper withBorder p="sm" mb="sm" radius="md">
      <Text size="sm">{t('bulk.done', { count: done })}</Text>
      {refused.length > 0 && <List size="sm">{refused.map(({ id, reason }) => <List.Item key={id}>{`${id}: ${words(reason)}`}</List.Item>)}</List>}
    </Paper>
  );
}

/** Cancels those of the chosen executions that have not ended, or runs those again that failed. */
export function BulkBar({ executions, clear }: { executions: Execution[]; clear: () => void }) {
  const { t } = useTranslation(['executions', 'shared']);
  const [asked, ask] = useState<Deed | null>(null);
  const { mutate, data, isPending, error, reset } = useBulk((outcome) => (outcome === 'retried' ? '' : t(`not_retried.${outcome}`)));
  const of = { cancel: executions.filter(canCancel), retry: executions.filter(canRetry) };
  const meant = asked ? of[asked] : [];
  function run() {
    if (asked) mutate({ deed: asked, ids: meant.map(({ id }) => id) }, { onSuccess: () => { clear(); ask(null); } });
  }
  return (
    <div aria-live="polite">
      {executions.length > 0 && (
        <Paper withBorder p="xs" mb="sm" radius="md">
          <Group>
            <Text size="sm" fw={600}>{t('shared:selected', { count: executions.length })}</Text>
            {of.cancel.length > 0 && <Button size="xs" variant="default" onClick={() => { reset(); ask('cancel'); }}>{t('bulk.cancel', { count: of.cancel.length })}</Button>}
            {of.retry.length > 0 && <Button size="xs" variant="default" onClick={() => { reset(); ask('retry'); }}>{t('bulk.retry', { count: of.retry.length })}</Button>}
          </Group>
        </Paper>
      )}
      {data && <Done done={data} />}
      {asked && (
        <ConfirmDialog
          opened title={t(`bulk.sure_${asked}`, { count: meant.length })} text={t(`help.${asked}`)} confirm={t(`bulk.${asked}`, { count: meant.length })}
          danger={asked === 'cancel'} {...(asked === 'cancel' ? { leave: t('shared:back') } : {})} busy={isPending} error={error} onConfirm={run} onClose={() => ask(null)}
        >
          <List size="sm">
            {meant.slice(0, mostNamed).map(({ id, task_name: name }) => <List.Item key={id}>{`${name ?? ''} ${id}`}</List.Item>)}
            {meant.length > mostNamed && <List.Item>{t('bulk.further', { count: meant.length - mostNamed })}</List.Item>}
          </List>
        </ConfirmDialog>
      )}
    </div>
  );
}
