import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { State } from '@/api/types';

/** The state of an execution, or the outcome of an attempt. */
export type Shown = State | 'interrupted';

const colours: Record<Shown, string> = {
  planned: 'gray', waiting: 'yellow', running: 'blue', stopping: 'orange', retrying: 'orange', succeeded: 'teal',
  failed: 'red', timed_out: 'red', cancelled: 'gray', skipped: 'gray',
  interrupted: 'orange',
};

export function StateBadge({ state }: { state: Shown }) {
  const { t } = useTranslation();
  return <Badge color={colours[state]} variant="light" tt="none">{t(`state.${state}`)}</Badge>;
}

export function stateColour(state: Shown): string {
  return colours[state];
}
