import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Failover, Lease, TriggerNode } from '@/api/types';
import { Facts } from '@/shared/Facts';
import { Reason } from '@/shared/Reason';
import { Section } from '@/shared/Section';
import { Duration, RelativeTime, useDuration } from '@/shared/Times';

interface Props {
  master: TriggerNode | undefined;
  lease: Lease | null;
  failover: Failover | null;
  gap: number | null;
}

function LeaseLine({ lease }: { lease: Lease | null }) {
  const { t } = useTranslation('nodes');
  const say = useDuration();
  if (!lease || lease.owner === null) return <>{t('lease_free')}</>;
  const age = say(Math.max(0, lease.age_ms));
  return <>{lease.expired ? t('lease_expired', { age }) : t('lease_renewed', { age, left: say(lease.seconds_left * 1000) })}</>;
}

/** Who is master, by which lease, and how the last take-over went. */
export function Mastership({ master, lease, failover, gap }: Props) {
  const { t } = useTranslation('nodes');
  return (
    <Section title={t('mastership')}>
      <Facts
        facts={[
          { label: t('the_master'), value: master?.name ?? t('no_master') },
          { label: t('epoch'), value: lease?.epoch ?? '–' },
          { label: t('lease'), value: <LeaseLine lease={lease} /> },
          { label: t('last_takeover'), value: failover ? <RelativeTime at={failover.at} /> : t('never') },
        ]}
      />
      {failover && (
        <Text size="sm" mt="md">
          {failover.from ? t('took_over_from', { to: failover.to, from: failover.from }) : t('took_over', { to: failover.to })}
          {gap !== null && <>{` ${t('gap_of')} `}<Text span fw={600} size="sm"><Duration ms={gap} /></Text></>}
          {failover.why && <>{' · '}<Reason text={failover.why} /></>}
        </Text>
      )}
    </Section>
  );
}
