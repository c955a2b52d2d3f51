import { SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFault } from './faults';
import { ChoiceField, DurationField, NumberField } from './inputs';
import { routings, type PoliciesDraft } from './policies_draft';
import type { Group } from './policy_words';

// An example of a JSON pointer.
const pointer = '/customer';

interface Props {
  draft: PoliciesDraft;
  change: (part: Partial<PoliciesDraft>) => void;
}

function Late({ draft: { misfire }, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const set = (part: Partial<typeof misfire>) => change({ misfire: { ...misfire, ...part } });
  return (
    <>
      <ChoiceField label={t('field.action')} help={t('hint.action')} at={['misfire.action', 'misfire']} value={misfire.action} onChange={(action) => set({ action })} choices={(['fire_once', 'fire_all', 'skip'] as const).map((value) => ({ value, label: t(`action.${value}`) }))} />
      <DurationField label={t('field.after')} help={t('hint.after')} at="misfire.after_ms" ms={misfire.afterMs} onChange={(afterMs) => set({ afterMs })} />
      {misfire.action === 'fire_all' && (
        <>
          <NumberField label={t('field.most')} help={t('hint.most')} at="misfire.limit" value={misfire.limit} min={1} max={1000} onChange={(limit) => set({ limit })} />
          <DurationField label={t('field.within')} help={t('hint.within')} at="misfire.within_ms" ms={misfire.withinMs} onChange={(withinMs) => set({ withinMs })} />
        </>
      )}
    </>
  );
}

function Parallel({ draft: { concurrency }, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const fault = useFault('concurrency.key');
  const set = (part: Partial<typeof concurrency>) => change({ concurrency: { ...concurrency, ...part } });
  return (
    <>
      <NumberField label={t('field.limit')} help={t('hint.no_limit')} at="concurrency.limit" value={concurrency.limit} min={0} max={100000} onChange={(limit) => set({ limit })} />
      {concurrency.limit > 0 && (
        <>
          <ChoiceField label={t('field.when_full')} help={t('hint.when_full')} at={['concurrency.when_full', 'concurrency']} value={concurrency.whenFull} onChange={(whenFull) => set({ whenFull })} choices={(['wait', 'skip', 'replace'] as const).map((value) => ({ value, label: t(`when_full.${value}`) }))} />
          {concurrency.whenFull === 'wait' && <NumberField label={t('field.queue')} help={t('hint.queue')} at="concurrency.queue" value={concurrency.queue} min={0} max={100000} onChange={(queue) => set({ queue })} />}
          <TextInput label={t('field.key')} description={t('hint.key')} placeholder={pointer} error={fault} value={concurrency.key} onChange={({ currentTarget }) => set({ key: currentTarget.value })} />
        </>
      )}
    </>
  );
}

function Rate({ draft: { rate }, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const set = (part: Partial<typeof rate>) => change({ rate: { ...rate, ...part } });
  return (
    <>
      <NumberField label={t('field.rate')} help={t('hint.no_limit')} at={['rate.limit', 'rate']} value={rate.limit} min={0} max={1000000} onChange={(limit) => set({ limit })} />
      {rate.limit > 0 && (
        <>
          <DurationField label={t('field.per')} help={t('hint.per')} at="rate.per_ms" ms={rate.perMs} min={1000} onChange={(perMs) => set({ perMs })} />
          <NumberField label={t('field.burst')} help={t('hint.burst')} at="rate.burst" value={rate.burst} min={0} max={2000000} onChange={(burst) => set({ burst })} />
        </>
      )}
    </>
  );
}

function Retries({ draft, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const { retry } = draft;
  const fault = useFault('retry.final_errors');
  const set = (part: Partial<typeof retry>) => change({ retry: { ...retry, ...part } });
  return (
    <>
      <NumberField label={t('field.attempts')} help={t('hint.attempts')} at="max_attempts" value={draft.maxAttempts} min={1} max={1000} onChange={(maxAttempts) => change({ maxAttempts })} />
      <DurationField label={t('field.pause')} help={t('hint.pause')} at="retry_delay_ms" ms={draft.retryDelayMs} onChange={(retryDelayMs) => change({ retryDelayMs })} />
      <ChoiceField label={t('field.backoff')} help={t('hint.backoff')} at={['retry.backoff', 'retry']} value={retry.backoff} onChange={(backoff) => set({ backoff })} choices={(['fixed', 'exponential'] as const).map((value) => ({ value, label: t(`backoff.${value}`) }))} />
      {retry.backoff === 'exponential' && <DurationField label={t('field.longest')} help={t('hint.longest')} at="retry.longest_ms" ms={retry.longestMs} min={1} onChange={(longestMs) => set({ longestMs })} />}
      <NumberField label={t('field.jitter')} help={t('hint.jitter')} at="retry.jitter_percent" value={retry.jitterPercent} min={0} max={100} onChange={(jitterPercent) => set({ jitterPercent })} />
      <ChoiceField label={t('field.on')} help={t('hint.on')} at="retry.on" value={retry.on} onChange={(on) => set({ on })} choices={(['any', 'other', 'same'] as const).map((value) => ({ value, label: t(`on.${value}`) }))} />
      <TagsInput label={t('field.final_errors')} description={t('hint.final_errors')} error={fault} value={retry.finalErrors} maxTags={32} acceptValueOnBlur onChange={(finalErrors) => set({ finalErrors })} />
      <NumberField label={t('field.deaths')} help={t('hint.deaths')} at="max_deaths" value={draft.maxDeaths} min={1} max={1000} onChange={(maxDeaths) => change({ maxDeaths })} />
    </>
  );
}

function Times({ draft, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const { limits } = draft;
  const set = (part: Partial<typeof limits>) => change({ limits: { ...limits, ...part } });
  return (
    <>
      <DurationField label={t('field.timeout')} help={t('hint.timeout')} at="timeout_ms" ms={draft.timeoutMs} onChange={(timeoutMs) => change({ timeoutMs })} />
      <DurationField label={t('field.grace')} help={t('hint.grace')} at="stop_grace_ms" ms={draft.stopGraceMs} onChange={(stopGraceMs) => change({ stopGraceMs })} />
      <DurationField label={t('field.start_within')} help={t('hint.start_within')} at={['limits.start_within_ms', 'limits']} ms={limits.startWithinMs} onChange={(startWithinMs) => set({ startWithinMs })} />
      <ChoiceField label={t('field.late_start')} help={t('hint.late_start')} at="limits.late_start" value={limits.lateStart} onChange={(lateStart) => set({ lateStart })} choices={(['skip', 'fail'] as const).map((value) => ({ value, label: t(`late_start.${value}`) }))} />
      <DurationField label={t('field.total')} help={t('hint.total')} at="limits.total_ms" ms={limits.totalMs} onChange={(totalMs) => set({ totalMs })} />
    </>
  );
}

function Client({ draft: { routing, route }, change }: Props) {
  const { t } = useTranslation('taskPolicies');
  const faults = { key: useFault('route.key'), instance: useFault('route.instance'), tag: useFault('route.tag') };
  const set = (part: Partial<typeof route>) => change({ route: { ...route, ...part } });
  return (
    <>
      <ChoiceField label={t('field.routing')} help={t('hint.routing')} at={['routing', 'route']} value={routing} onChange={(next) => change({ routing: next, route })} choices={routings.map((value) => ({ value, label: t(`routing.${value}`) }))} />
      <TextInput label={t('field.tag')} description={t('hint.tag')} error={faults.tag} value={route.tag} onChange={({ currentTarget }) => set({ tag: currentTarget.value })} />
      {routing === 'consistent_hash' && <TextInput label={t('field.route_key')} description={t('hint.route_key')} placeholder={pointer} error={faults.key} value={route.key} required onChange={({ currentTarget }) => set({ key: currentTarget.value })} />}
      {routing === 'instance' && <TextInput label={t('field.instance')} description={t('hint.instance')} error={faults.instance} value={route.instance} required onChange={({ currentTarget }) => set({ instance: currentTarget.value })} />}
      {routing === 'broadcast' && (
        <>
          <NumberField label={t('field.shards')} help={t('hint.shards')} at="route.shards" value={route.shards} min={0} max={1000} onChange={(shards) => set({ shards })} />
          <ChoiceField label={t('field.ends')} help={t('hint.ends')} at="route.ends" value={route.ends} onChange={(ends) => set({ ends })} choices={(['all', 'any'] as const).map((value) => ({ value, label: t(`ends.${value}`) }))} />
        </>
      )}
    </>
  );
}

const fieldsOf: Record<Group, typeof Late> = { late: Late, parallel: Parallel, rate: Rate, retries: Retries, times: Times, client: Client };

export function PolicyFields({ group, ...props }: Props & { group: Group }) {
  const Fields = fieldsOf[group];
  return <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md"><Fields {...props} /></SimpleGrid>;
}
