import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { canCancel, canRetry } from './possible';
import { useCancel, useDismissedAt, useRelease, useRerunOf, useShards } from './queries';
import { RetryDialog } from './RetryDialog';

type Asked = 'cancel' | 'release' | 'retry';

export function ExecutionActions({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation(['executions', 'shared']);
  const [asked, ask] = useState<Asked | null>(null);
  // A broadcast is no dead letter: its shards are, and run again there.
  const isBroadcast = (useShards(one).data?.items.length ?? 0) > 0;
  const rerun = useRerunOf(one).data;
  // A dismissed one is not run again. Until that is known there is no button that would vanish.
  const { data: dismissed, isPending: unknown } = useDismissedAt(one);
  const offered = canRetry(one) && !isBroadcast && !unknown && !dismissed;
  const cancel = useCancel();
  const release = useRelease();
  const change = asked === 'release' ? release : cancel;
  const close = () => {
    ask(null);
    change.reset();
  };
  return (
    <>
      {canCancel(one) && <Button variant="default" onClick={() => ask('cancel')}>{t('action.cancel')}</Button>}
      {one.unresponsive && <Button variant="default" onClick={() => ask('release')}>{t('action.release')}</Button>}
      {offered && <Button {...(rerun ? { variant: 'default' } : {})} onClick={() => ask('retry')}>{t('action.retry')}</Button>}
      {asked === 'retry' && <RetryDialog id={one.id} task={one.task} rerun={rerun ?? null} close={close} />}
      {(asked === 'cancel' || asked === 'release') && (
        <ConfirmDialog
          opened title={t(`sure.${asked}`)} text={t(asked === 'cancel' && one.state === 'waiting' ? 'help.cancel_waiting' : `help.${asked}`)} confirm={t(`action.${asked}`)} leave={t('shared:back')} danger busy={change.isPending} error={change.error}
          onConfirm={() => change.mutate(one.id, { onSuccess: close })} onClose={close}
        />
      )}
    </>
  );
}
