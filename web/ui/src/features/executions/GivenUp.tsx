import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ExecutionWithAttempts } from '@/api/types';
import { givenUp } from './attempts';

/** The attempts that were given up before a client began them, so they have no times. */
export function GivenUp({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  return <>{givenUp(one.attempts).map(({ attempt, why }) => <Text key={attempt} size="sm" mb="sm">{t(`given_up.${why}`, { attempt })}</Text>)}</>;
}
