import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useTaskNames } from '@/api/task_names';
import { useFault } from './faults';
import type { ScheduleProps } from './ScheduleBuilder';

/** The task that this one follows, with those of the project to choose from. */
export function ParentField({ draft, project, name, change }: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const [typed] = useDebouncedValue(draft.after, 250);
  const { data = [] } = useTaskNames(project, typed, project !== '');
  return (
    <Autocomplete
      label={t('after_label')} description={t('after_help', { project })} error={useFault('schedule.task')} value={draft.after} required
      data={data.map((one) => one.name).filter((one) => one !== name)} onChange={(after) => change({ after })}
    />
  );
}
