import { Button, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Scope, usePause, useResume } from '@/api/scopes';
import type { NewPause, Pause } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';

function PauseDialog({ scope, close }: { scope: Scope; close: () => void }) {
  const { t } = useTranslation(['scopes', 'shared']);
  const [tried, setTried] = useState(false);
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const [firings, setFirings] = useState<NonNullable<NewPause['firings']>>('hold');
  const { mutate, isPending, error } = usePause(scope);
  function pause() {
    setTried(true);
    if (reason.trim() === '') return;
    mutate({ reason, firings, ...(by ? { by } : {}) }, { onSuccess: close });
  }
  return (
    <ConfirmDialog opened title={t('pause.title', { name: scope.service ?? scope.project })} text={t('pause.help')} confirm={t('pause.do')} busy={isPending} error={error} onConfirm={pause} onClose={close}>
      <TextInput label={t('pause.reason')} value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} required data-autofocus maxLength={200} error={tried && reason.trim() === '' ? t('shared:required') : null} />
      <TextInput label={t('pause.by')} value={by} onChange={({ currentTarget }) => setBy(currentTarget.value)} />
      <Radio.Group label={t('pause.firings')} value={firings} onChange={(value) => setFirings(value === 'skip' ? 'skip' : 'hold')}>
        <Stack gap="xs" mt="xs">
          <Radio value="hold" label={t('pause.hold')} />
          <Radio value="skip" label={t('pause.skip')} />
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  );
}

function ResumeDialog({ scope, close }: { scope: Scope; close: () => void }) {
  const { t } = useTranslation('scopes');
  const [by, setBy] = useState('');
  const { mutate, isPending, error } = useResume(scope);
  return (
    <ConfirmDialog
      opened title={t('resume.title', { name: scope.service ?? scope.project })} text={t('resume.help')} confirm={t('resume.do')}
      busy={isPending} error={error} onConfirm={() => mutate(by ? { by } : {}, { onSuccess: close })} onClose={close}
    >
      <TextInput label={t('pause.by')} value={by} onChange={({ currentTarget }) => setBy(currentTarget.value)} data-autofocus />
    </ConfirmDialog>
  );
}

/** Pause or resume. A service that is paused with its project is resumed there. */
export function PauseActions({ scope, paused }: { scope: Scope; paused: Pause | null }) {
  const { t } = useTranslation('scopes');
  const [asked, ask] = useState<'pause' | 'resume' | null>(null);
  const own = paused !== null && paused.of === (scope.service === undefined ? 'project' : 'service');
  const close = () => ask(null);
  return (
    <>
      {own
        ? <Button onClick={() => ask('resume')}>{t('resume.do')}</Button>
        : <Button variant="default" onClick={() => ask('pause')}>{t('pause.do')}</Button>}
      {asked === 'pause' && <PauseDialog scope={scope} close={close} />}
      {asked === 'resume' && <ResumeDialog scope={scope} close={close} />}
    </>
  );
}
