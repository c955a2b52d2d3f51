import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { JsonField, jsonText, readJson } from '@/shared/JsonField';
import { useFault } from './faults';
import { NumberField } from './inputs';
import type { Context, TaskDraft } from './task_draft';

interface Props {
  draft: TaskDraft;
  change: (part: Partial<TaskDraft>) => void;
}

/** What the handler gets. */
export function PayloadInput({ draft, change }: Props) {
  const { t } = useTranslation(['taskForm', 'shared']);
  const fault = useFault('payload');
  const read = readJson(draft.payload);
  const wrong = 'reason' in read ? t('shared:json_invalid', { reason: read.reason }) : fault;
  return (
    <Stack gap="xs">
      <JsonField label={t('payload')} value={draft.payload} onChange={(payload) => change({ payload })} />
      <Group justify="space-between">
        <Text size="sm" c={wrong ? 'red' : 'dimmed'} role={wrong ? 'alert' : undefined}>{wrong ?? t('payload_help')}</Text>
        <Button variant="subtle" size="xs" disabled={'reason' in read} onClick={() => 'value' in read && change({ payload: jsonText(read.value) })}>{t('format')}</Button>
      </Group>
    </Stack>
  );
}

const contexts: Context[] = ['previous', 'last_success'];

export function OrderAndContext({ draft, change }: Props) {
  const { t } = useTranslation('taskForm');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} mt="md">
      <NumberField label={t('priority')} help={t('priority_help')} at="priority" value={draft.priority} min={-100} max={100} onChange={(priority) => change({ priority })} />
      <Checkbox.Group label={t('context')} description={t('context_help')} error={useFault('context')} value={draft.context} onChange={(chosen) => change({ context: contexts.filter((one) => chosen.includes(one)) })}>
        <Stack gap={6} mt={6}>{contexts.map((one) => <Checkbox key={one} value={one} label={t(`context_${one}`)} />)}</Stack>
      </Checkbox.Group>
    </SimpleGrid>
  );
}
