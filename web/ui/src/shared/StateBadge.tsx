import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { State } from '@/api/types';

const colours: Record<State, string> = {
  planned: 'gray', waiting: 'yellow', running: 'blue', stopping: 'orange', retrying: 'orange', succeeded: 'teal',
  failed: 'red', timed_out: 'red', cancelled: 'gray', skipped: 'gray',
};

export function StateBadge({ state }: { state: State }) {
  const { t } = useTranslation();
  return <Badge color={colours[state]} variant="light" tt="none">{t(`state.${state}`)}</Badge>;
}

export function stateColour(state: State): string {
  return colours[state];
}
