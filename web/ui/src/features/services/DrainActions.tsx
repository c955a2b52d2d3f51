import { Button, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Client } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { shortInstance } from '@/shared/instance_name';
import { type Answer, useDrain, useResume } from './changes';
import { liveCode } from './reasons';

/** Says when the change takes effect, if the home of the client does not know of it yet. */
function useNotice(what: 'drain' | 'resume', instance: string) {
  const { t } = useTranslation(['services', 'shared']);
  return (answer: Answer) => {
    if (answer.home_notified) return;
    const message = t(`home.${liveCode(answer.home_code) ?? 'other'}`);
    notifications.show({ title: t(`not_told.${what}`, { name: shortInstance(instance) }), message, color: 'yellow', autoClose: false, closeButtonProps: { 'aria-label': t('shared:close') } });
  };
}

function DrainDialog({ instance, close }: { instance: string; close: () => void }) {
  const { t } = useTranslation('services');
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const { mutate, isPending, error } = useDrain(instance);
  const notice = useNotice('drain', instance);
  const done = (answer: Answer) => {
    notice(answer);
    close();
  };
  const drain = () => mutate({ ...(reason ? { reason } : {}), ...(by ? { by } : {}) }, { onSuccess: done });
  return (
    <ConfirmDialog opened title={t('drain.title', { name: instance })} text={t('drain.help')} confirm={t('drain.do')} busy={isPending} error={error} onConfirm={drain} onClose={close}>
      <TextInput label={t('drain.reason')} value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} data-autofocus maxLength={200} />
      <TextInput label={t('drain.by')} value={by} onChange={({ currentTarget }) => setBy(currentTarget.value)} maxLength={100} />
    </ConfirmDialog>
  );
}

function ResumeDialog({ instance, close }: { instance: string; close: () => void }) {
  const { t } = useTranslation('services');
  const { mutate, isPending, error } = useResume(instance);
  const notice = useNotice('resume', instance);
  const done = (answer: Answer) => {
    notice(answer);
    close();
  };
  return (
    <ConfirmDialog
      opened title={t('resume.title', { name: instance })} text={t('resume.help')} confirm={t('resume.do')}
      busy={isPending} error={error} onConfirm={() => mutate({}, { onSuccess: done })} onClose={close}
    />
  );
}

/** Drain or resume. */
export function DrainActions({ client: { instance, drained } }: { client: Pick<Client, 'instance' | 'drained'> }) {
  const { t } = useTranslation('services');
  const [asked, ask] = useState<'drain' | 'resume' | null>(null);
  const close = () => ask(null);
  const wanted = drained ? 'resume' : 'drain';
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={t(`${wanted}.title`, { name: instance })} onClick={() => ask(wanted)}>{t(`${wanted}.do`)}</Button>
      {asked === 'drain' && <DrainDialog instance={instance} close={close} />}
      {asked === 'resume' && <ResumeDialog instance={instance} close={close} />}
    </>
  );
}
