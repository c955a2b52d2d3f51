import { Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTaskName } from '@/api/task_names';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { JsonField, readJson } from '@/shared/JsonField';
import { kindOf } from './letters';
import type { Letters, Request, Resolve } from './queries';

interface Props {
  how: Resolve;
  of: Letters;
  busy: boolean;
  error: unknown;
  send: (request: Request) => void;
  close: () => void;
}

function useQuestion(how: Resolve, of: Letters): string {
  const { t } = useTranslation('deadLetters');
  const kind = kindOf(of);
  const task = useTaskName('task' in of ? of.task : '').data;
  if ('executions' in of) return t(`sure.${how}`, { count: of.executions.length });
  const name = 'project' in of ? of.project : 'task' in of ? (task ?? of.task) : 'broadcast' in of ? of.broadcast : '';
  return t(`sure_${how}.${kind === 'chosen' ? 'all' : kind}`, { name });
}

/** Asks before dead letters run again or are dismissed. Those that run again may get another payload. */
export function ResolveDialog({ how, of, busy, error, send, close }: Props) {
  const { t } = useTranslation(['deadLetters', 'shared']);
  const [other, setOther] = useState(false);
  const [text, setText] = useState('{}');
  const read = readJson(text);
  const wrong = other && 'reason' in read ? read.reason : undefined;
  const question = useQuestion(how, of);
  function confirm() {
    if (wrong !== undefined) return;
    send({ how, of, ...(other && 'value' in read ? { payload: read.value } : {}) });
  }
  return (
    <ConfirmDialog opened title={question} text={t(`help.${how}`)} confirm={t(`action.${how}`)} busy={busy} error={error} onConfirm={confirm} onClose={close}>
      {how === 'retry' && <Checkbox label={t('other_payload')} checked={other} onChange={({ currentTarget }) => setOther(currentTarget.checked)} />}
      {how === 'retry' && other && <JsonField label={t('payload')} value={text} onChange={setText} />}
      {wrong && <Text size="sm" c="red" role="alert">{t('shared:json_invalid', { reason: wrong })}</Text>}
    </ConfirmDialog>
  );
}
