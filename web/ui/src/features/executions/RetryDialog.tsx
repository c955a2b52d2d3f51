import { Alert, Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { JsonField, jsonText, readJson } from '@/shared/JsonField';
import { useRerun, useTaskOf } from './queries';

export function RetryDialog({ id, task, close }: { id: string; task: string; close: () => void }) {
  const { t } = useTranslation(['executions', 'shared']);
  const [, go] = useLocation();
  const [other, setOther] = useState(false);
  const own = jsonText(useTaskOf(task).data?.payload ?? {});
  const [typed, setText] = useState<string>();
  const text = typed ?? own;
  const { mutate, isPending, error, data: answer } = useRerun();
  const read = readJson(text);
  const wrong = other && 'reason' in read ? read.reason : undefined;
  function run() {
    if (wrong !== undefined) return;
    mutate({ id, payload: other && 'value' in read ? read.value : undefined }, {
      onSuccess: (letter) => {
        if (letter?.outcome !== 'retried' || !letter.rerun) return;
        close();
        go(`/executions/${letter.rerun}`);
      },
    });
  }
  return (
    <ConfirmDialog opened title={t('sure.retry')} text={t('help.retry')} confirm={t('action.retry')} busy={isPending} error={error} onConfirm={run} onClose={close}>
      <Checkbox label={t('other_payload')} checked={other} onChange={({ currentTarget }) => setOther(currentTarget.checked)} />
      {other && <JsonField label={t('payload_of_task')} value={text} onChange={setText} />}
      {wrong && <Text size="sm" c="red" role="alert">{t('shared:json_invalid', { reason: wrong })}</Text>}
      {answer && answer.outcome !== 'retried' && <Alert color="yellow">{t(`not_retried.${answer.outcome}`)}</Alert>}
    </ConfirmDialog>
  );
}
