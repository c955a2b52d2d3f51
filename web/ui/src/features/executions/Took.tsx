import { useTranslation } from 'react-i18next';
import type { Execution } from '@/api/types';
import { useNow } from '@/shared/clock';
import { Duration, useDuration } from '@/shared/Times';
import { tookMs } from './times_of';

function SoFar({ since }: { since: string }) {
  const { t } = useTranslation('executions');
  const say = useDuration();
  // The clock of the viewer may be behind that of the cluster.
  const seconds = Math.max(0, Math.floor((useNow() - Date.parse(since)) / 1000));
  return <span style={{ whiteSpace: 'nowrap' }}>{t('so_far', { time: say(seconds * 1000) })}</span>;
}

/** How long an execution took from its first beginning to its end, or has taken so far. */
export function Took({ one }: { one: Pick<Execution, 'started_at' | 'ended_at'> }) {
  return one.started_at && !one.ended_at ? <SoFar since={one.started_at} /> : <Duration ms={tookMs(one)} />;
}
