import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Condition } from '@/features/nodes/condition';
import { Figure } from '@/shared/Figure';
import { Duration, RelativeTime } from '@/shared/Times';
import { countedAddress, countText, isLongGap, nodesByCondition } from './attention';
import type { Overview } from './queries';

const tones: Record<Condition, 'calm' | 'warn' | 'bad'> = { alive: 'calm', draining: 'warn', silent: 'warn', cut_off: 'warn', part_failed: 'bad', cannot_plan: 'bad', gone: 'bad' };

function Mastership({ seen: { master, last_failover: failover, last_gap_ms: gap, nodes } }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  return (
    <>
      <Figure
        label={t('master')} value={master?.node ?? t('no_master')} tone={master ? 'calm' : 'bad'} to="/nodes"
        detail={master && t('epoch', { epoch: master.epoch })}
      />
      {failover && (
        <Figure
          label={t('take_over')} value={<RelativeTime at={failover.at} plain />} to="/nodes" tone={isLongGap(gap) ? 'warn' : 'calm'}
          detail={gap !== null && <>{t('gap')}{' '}<Duration ms={gap} /></>}
        />
      )}
      {nodesByCondition(nodes).map(([condition, count]) => (
        <Figure key={condition} label={t(`nodes.${condition}`)} value={count} tone={tones[condition]} to={`/nodes?condition=${condition}`} />
      ))}
    </>
  );
}

function Failures({ seen: { open_dead_letters: letters, failed_last_hour: failed } }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  return (
    <>
      {letters.count > 0 && <Figure label={t('dead_letters')} value={countText(letters)} tone="bad" to="/dead-letters" />}
      {failed.count > 0 && (
        <Figure
          label={t('failed')} value={countText(failed)} detail={t('failed_help')} tone="bad"
          to={countedAddress('failed', 'hour')}
        />
      )}
    </>
  );
}

/** The cluster in numbers. One that is zero is not there. */
export function Figures({ seen }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  const { live, unreachable } = seen.clients;
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 4 }} spacing={{ base: 'xs', md: 'md' }} mb="md">
      <Mastership seen={seen} />
      {live > 0 && <Figure label={t('clients')} value={live} to="/services" />}
      {unreachable > 0 && <Figure label={t('unreachable')} value={unreachable} tone="bad" to="/services?only=unreachable" />}
      <Failures seen={seen} />
    </SimpleGrid>
  );
}
