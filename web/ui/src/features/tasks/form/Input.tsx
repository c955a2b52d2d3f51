import { Button, Checkbox, SimpleGrid, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PayloadField } from '@/features/payload/PayloadField';
import type { Target } from '@/features/payload/queries';
import { useFault } from './faults';
import { NumberField } from './inputs';
import type { PoliciesProps } from './Policies';
import { contexts, type PoliciesDraft } from './policies_draft';
import { filled, ownAfter, withDefaults } from './policy_groups';
import type { TaskDraft } from './task_draft';

interface Props {
  draft: TaskDraft;
  change: (part: Partial<TaskDraft>) => void;
}

/** What the handler gets. */
export function PayloadInput({ draft, target, change }: Props & { target: Target }) {
  const { t } = useTranslation('taskForm');
  const fault = useFault('payload');
  return <PayloadField label={t('payload')} help={t('payload_help')} value={draft.payload} onChange={(payload) => change({ payload })} target={target} fault={fault} opened />;
}

const those = ['priority', 'context'] as const;

export function OrderAndContext({ draft, defaults, fresh, change }: PoliciesProps) {
  const { t } = useTranslation(['taskForm', 'taskPolicies']);
  const shown = fresh ? filled(draft.policies, draft.own, defaults) : draft.policies;
  const set = (part: Partial<PoliciesDraft>) => change({ policies: { ...shown, ...part }, own: ownAfter(draft.own, part) });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} mt="md">
      <NumberField label={t('priority')} help={t('priority_help')} at="priority" value={shown.priority} min={-100} max={100} onChange={(priority) => set({ priority })} />
      <Checkbox.Group label={t('context')} description={t('context_help')} error={useFault('context')} value={shown.context} onChange={(chosen) => set({ context: contexts.filter((one) => chosen.includes(one)) })}>
        <Stack gap={6} mt={6}>{contexts.map((one) => <Checkbox key={one} value={one} label={t(`context_${one}`)} />)}</Stack>
      </Checkbox.Group>
      {those.some((policy) => draft.own.includes(policy)) && (
        <Button
          variant="subtle" size="xs" style={{ justifySelf: 'start' }}
          onClick={() => change({ policies: withDefaults(shown, those, defaults), own: draft.own.filter((policy) => !those.some((one) => one === policy)) })}
        >
          {t('taskPolicies:back_to_default')}
        </Button>
      )}
    </SimpleGrid>
  );
}
