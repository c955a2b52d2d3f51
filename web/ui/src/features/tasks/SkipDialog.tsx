import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { exact } from '@/shared/time';
import { useZone } from '@/shared/Times';
import { useSkip } from './changes';

/** Skips the next firing, or the next few. `expected` is the one that the page shows as the next. */
export function SkipDialog({ task, expected, zone, close }: { task: Task; expected: string; zone: string | undefined; close: () => void }) {
  const { t, i18n } = useTranslation('tasks');
  const shown = useZone(zone);
  const [count, setCount] = useState(1);
  const [by, setBy] = useState('');
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useSkip();
  function skip() {
    mutate({ task, count, expected, by, reason }, {
      onSuccess: ({ skipped = [] }) => {
        notifications.show({ message: t('skip.done', { count: skipped.length || count }), color: 'teal' });
        close();
      },
    });
  }
  return (
    <ConfirmDialog
      opened title={t('skip.title')} text={t('skip.help', { at: exact(expected, shown, i18n.language, true) })} confirm={t('skip.confirm')}
      busy={isPending} error={error} onConfirm={skip} onClose={close}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput label={t('skip.count')} value={count} min={1} max={100} allowDecimal={false} clampBehavior="strict" onChange={(next) => setCount(typeof next === 'number' ? next : 1)} />
        <TextInput label={t('skip.by')} value={by} maxLength={100} onChange={({ currentTarget }) => setBy(currentTarget.value)} />
      </SimpleGrid>
      <TextInput label={t('skip.reason')} value={reason} maxLength={120} onChange={({ currentTarget }) => setReason(currentTarget.value)} />
    </ConfirmDialog>
  );
}
