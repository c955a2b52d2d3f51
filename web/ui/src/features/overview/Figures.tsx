import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Condition, present } from '@/features/nodes/condition';
import { useNodes } from '@/features/nodes/queries';
import { useClients } from '@/features/services/queries';
import { Figure } from '@/shared/Figure';
import { Duration, RelativeTime } from '@/shared/Times';
import { countText, nodesByCondition, ofProject, unreachable } from './attention';
import { useFailures, useOpenLetters } from './queries';

const tones: Record<Condition, 'calm' | 'warn' | 'bad'> = { alive: 'calm', draining: 'warn', silent: 'warn', cannot_plan: 'bad', gone: 'bad' };

function Mastership() {
  const { t } = useTranslation('overview');
  const { data } = useNodes();
  if (!data) return null;
  const master = data.items.find((node) => node.master);
  const failover = data.last_failover;
  return (
    <>
      <Figure
        label={t('master')} value={master?.name ?? t('no_master')} tone={master ? 'calm' : 'bad'} to="/nodes"
        detail={data.lease && t('epoch', { epoch: data.lease.epoch })}
      />
      {failover && (
        <Figure
          label={t('take_over')} value={<RelativeTime at={failover.at} plain />} to="/nodes"
          detail={data.last_gap_ms !== null && <>{t('gap')}{' '}<Duration ms={data.last_gap_ms} /></>}
        />
      )}
      {nodesByCondition(present(data.items)).map(([condition, count]) => (
        <Figure key={condition} label={t(`nodes.${condition}`)} value={count} tone={tones[condition]} to={`/nodes?condition=${condition}`} />
      ))}
    </>
  );
}

function Clients({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const { data } = useClients();
  const clients = ofProject(data?.items ?? [], project);
  const lost = unreachable(clients);
  return (
    <>
      {clients.length > 0 && <Figure label={t('clients')} value={clients.length} to="/services" />}
      {lost.length > 0 && <Figure label={t('unreachable')} value={lost.length} tone="bad" to="/services?reach=unreachable" />}
    </>
  );
}

function Failures({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const letters = useOpenLetters(project).data;
  const failed = useFailures(project).data;
  return (
    <>
      {letters && letters.items.length > 0 && <Figure label={t('dead_letters')} value={countText(letters)} tone="bad" to="/dead-letters" />}
      {failed && failed.items.length > 0 && (
        <Figure
          label={t('failed')} value={countText(failed)} detail={t('failed_help')} tone="bad"
          to={`/executions?state=failed,timed_out&from=${encodeURIComponent(failed.from)}`}
        />
      )}
    </>
  );
}

/** The cluster in numbers. One that is zero is not there. */
export function Figures({ project }: { project: string }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 4 }} spacing={{ base: 'xs', md: 'md' }} mb="md">
      <Mastership />
      <Clients project={project} />
      <Failures project={project} />
    </SimpleGrid>
  );
}
