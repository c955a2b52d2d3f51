import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTaskName, useTaskNames } from '@/api/task_names';

interface Props {
  label: string;
  /** The id of the task; empty for any. */
  value: string;
  project: string;
  onChange: (id: string) => void;
}

/** Chooses a task by its name. Those of several projects are told apart by their project. */
export function TaskFilter({ label, value, project, onChange }: Props) {
  const { t } = useTranslation();
  const [typed, type] = useState('');
  const name = useTaskName(value).data;
  // The name of the chosen task stands in the field, and is no search.
  const [part] = useDebouncedValue(typed === name ? '' : typed, 250);
  const found = useTaskNames(project, part).data ?? [];
  const twice = new Set(found.map((one) => one.name).filter((one, at, all) => all.indexOf(one) !== at));
  const choices = found.map((one) => ({ value: one.id, label: twice.has(one.name) ? `${one.name} (${one.project})` : one.name }));
  if (value && !choices.some((one) => one.value === value)) choices.unshift({ value, label: name ?? value });
  return (
    <Select
      label={label} value={value || null} placeholder={t('any')} data={choices} searchable clearable size="sm" w={220}
      searchValue={typed} onSearchChange={type} filter={({ options }) => options} nothingFoundMessage={t('none')}
      onChange={(next) => onChange(next ?? '')} clearButtonProps={{ 'aria-label': t('clear', { name: label }) }}
    />
  );
}
