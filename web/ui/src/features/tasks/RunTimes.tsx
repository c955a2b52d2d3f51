import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDuration } from '@/shared/Times';
import { useRunTimes } from './queries';

/** How long its last runs took, beside those before. Nothing while there are too few. */
export function RunTimes({ task }: { task: string }) {
  const { t } = useTranslation('tasks');
  const say = useDuration();
  const { data } = useRunTimes(task);
  if (!data?.recent || !data.earlier) return null;
  return (
    <Text size="sm" mb="md" {...(data.slow ? { fw: 600 } : { c: 'dimmed' })}>
      {t('last.times_before', { earlier: say(data.earlier.median_ms), recent: say(data.recent.median_ms) })}
    </Text>
  );
}
