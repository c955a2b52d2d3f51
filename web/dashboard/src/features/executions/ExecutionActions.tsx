import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts, State } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { useCancel, useRelease } from './queries';
import { RetryDialog } from './RetryDialog';

const open: State[] = ['planned', 'waiting', 'running', 'retrying'];

type Asked = 'cancel' | 'release' | 'retry';

export function ExecutionActions({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const [asked, ask] = useState<Asked | null>(null);
  const cancel = useCancel();
  const release = useRelease();
  const change = asked === 'release' ? release : cancel;
  const close = () => {
    ask(null);
    change.reset();
  };
  return (
    <>
      {open.includes(one.state) && !one.cancel_requested_at && <Button variant="default" onClick={() => ask('cancel')}>{t('action.cancel')}</Button>}
      {one.unresponsive && <Button variant="default" onClick={() => ask('release')}>{t('action.release')}</Button>}
      {(one.state === 'failed' || one.state === 'timed_out') && <Button onClick={() => ask('retry')}>{t('action.retry')}</Button>}
      {asked === 'retry' && <RetryDialog id={one.id} close={close} />}
      {(asked === 'cancel' || asked === 'release') && (
        <ConfirmDialog
          opened title={t(`sure.${asked}`)} text={t(`help.${asked}`)} confirm={t(`action.${asked}`)} danger busy={change.isPending} error={change.error}
          onConfirm={() => change.mutate(one.id, { onSuccess: close })} onClose={close}
        />
      )}
    </>
  );
}
