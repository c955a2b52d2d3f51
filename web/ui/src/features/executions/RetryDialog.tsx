import { Alert, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Execution } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { PayloadField } from '@/features/payload/PayloadField';
import { targetOf } from '@/features/payload/queries';
import { jsonText, readJson } from '@/shared/JsonField';
import { useExecution, useRerun, useTaskOf } from './queries';

/** `rerun`: the execution that ran it again before. */
export function RetryDialog({ id, task, rerun, close }: { id: string; task: string; rerun: Pick<Execution, 'id' | 'state'> | null; close: () => void }) {
  const { t } = useTranslation(['executions', 'shared']);
  const [, go] = useLocation();
  const [other, setOther] = useState(false);
  const { data: known } = useTaskOf(task);
  const { data: execution } = useExecution(id);
  const own = jsonText(execution?.payload ?? known?.payload ?? {});
  const [typed, setText] = useState<string>();
  const text = typed ?? own;
  const { mutate, isPending, error, data: answer } = useRerun();
  const read = readJson(text);
  function run() {
    if (other && 'reason' in read) return;
    mutate({ id, payload: other && 'value' in read ? read.value : undefined }, {
      onSuccess: (letter) => {
        if (letter?.outcome !== 'retried' || !letter.rerun) return;
        close();
        notifications.show({ message: t('runs_again'), color: 'teal' });
        go(`/executions/${letter.rerun}`);
      },
    });
  }
  return (
    <ConfirmDialog opened title={t('sure.retry')} text={t('help.retry')} confirm={t('action.retry')} busy={isPending} error={error} onConfirm={run} onClose={close}>
      {rerun && <Alert color="yellow">{t('rerun_before', { id: rerun.id, state: t(`shared:state.${rerun.state}`) })}</Alert>}
      <Checkbox label={t('other_payload')} checked={other} onChange={({ currentTarget }) => setOther(currentTarget.checked)} />
      {other && <PayloadField label={t('payload_of_task')} value={text} onChange={setText} target={known && targetOf(known)} />}
      {answer && answer.outcome !== 'retried' && <Alert color="yellow">{t(`not_retried.${answer.outcome}`)}</Alert>}
    </ConfirmDialog>
  );
}
