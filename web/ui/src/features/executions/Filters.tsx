import { TextInput, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { State } from '@/api/types';
import { ChoiceFilter, FilterBar, TextFilter } from '@/shared/FilterBar';
import { Link } from '@/shared/Link';
import { useProjectNames } from '@/api/projects';
import { TaskFilter } from '../pickers/TaskFilter';
import { everyProject, type Values } from './list_query';
import { instantOf, isSpan, localOf, spans } from './span';

const states: State[] = ['waiting', 'running', 'stopping', 'retrying', 'succeeded', 'failed', 'timed_out', 'cancelled', 'skipped'];
const causes = ['schedule', 'manual', 'shard', 'rerun', 'forced'] as const;
const fired = 'succeeded,failed,timed_out,waiting,running,stopping,retrying';
const noTime = { planned: '', since: '', from: '', until: '' };

interface Props {
  values: Values;
  change: (part: Partial<Values>) => void;
  clear: () => void;
  used: number;
  project: string;
  tools: ReactNode;
}

function TimeField({ label, value, onChange }: { label: string; value: string; onChange: (instant: string) => void }) {
  return <TextInput type="datetime-local" size="sm" label={label} value={localOf(value)} onChange={({ currentTarget }) => onChange(instantOf(currentTarget.value))} />;
}

/** Which time: what is planned, a span that ends now, or two instants. */
function TimeFilter({ values, change }: Pick<Props, 'values' | 'change'>) {
  const { t } = useTranslation('executions');
  const own = values.from !== '' || values.until !== '';
  const chosen = values.planned === 'true' ? 'planned' : own ? 'own' : isSpan(values.since) ? values.since : '';
  function choose(next: string) {
    if (next === 'planned') change({ ...noTime, planned: 'true' });
    else if (next === 'own') change({ ...noTime, from: new Date(Date.now() - spans['24h']).toISOString() });
    else change({ ...noTime, since: next });
  }
  const choices = [
    { value: 'planned', label: t('ahead') },
    ...(Object.keys(spans) as (keyof typeof spans)[]).map((value) => ({ value, label: t(`span.${value}`) })),
    { value: 'own', label: t('span.own') },
  ];
  return (
    <>
      <ChoiceFilter label={t('time')} value={chosen} onChange={choose} choices={choices} />
      {own && <TimeField label={t('scheduled_from')} value={values.from} onChange={(from) => change({ from })} />}
      {own && <TimeField label={t('scheduled_until')} value={values.until} onChange={(until) => change({ until })} />}
    </>
  );
}

export function Filters({ values, change, clear, used, project, tools }: Props) {
  const { t } = useTranslation(['executions', 'shared']);
  const failures = { value: 'failed,timed_out', label: t('failures') };
  const projects = useProjectNames().data ?? [];
  const named = new Set([...projects, values.project].filter((one) => one !== '' && one !== everyProject));
  const open = { value: 'waiting,running,stopping,retrying', label: t('not_ended') };
  return (
    <FilterBar used={used} clear={clear} tools={tools}>
      <ChoiceFilter label={t('project')} value={values.project} onChange={(project) => change({ project })} choices={[{ value: everyProject, label: t('every_project') }, ...[...named].map((value) => ({ value, label: value }))]} />
      <TaskFilter label={t('task')} value={values.task} project={project} onChange={(task) => change({ task })} />
      <ChoiceFilter label={t('state')} value={values.state} onChange={(state) => change({ state })} choices={[failures, open, { value: fired, label: t('fired') }, ...states.map((value) => ({ value, label: t(`shared:state.${value}`) }))]} />
      <TimeFilter values={values} change={change} />
      <TextFilter label={t('service')} value={values.service} onChange={(service) => change({ service })} />
      <ChoiceFilter label={t('cause')} value={values.cause} onChange={(cause) => change({ cause })} choices={causes.map((value) => ({ value, label: t(`causes.${value}`) }))} />
      <ChoiceFilter label={t('start')} value={values.late} onChange={(late) => change({ late })} choices={[{ value: 'true', label: t('start_late') }]} />
      <TextFilter label={t('error')} value={values.error} onChange={(error) => change({ error })} />
      {values.parent && <Text size="sm">{t('shards_of_broadcast')}{' '}<Link to={`/executions/${values.parent}`} size="sm">{values.parent}</Link></Text>}
    </FilterBar>
  );
}
