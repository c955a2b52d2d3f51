import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useProjectNames } from '@/api/projects';
import { prefer, usePreferences } from '@/shared/preferences';

/** Lists of all pages show this project only. */
export function ProjectSwitch() {
  const { t } = useTranslation('shell');
  const { project } = usePreferences();
  const names = useProjectNames();
  const known = new Set([...(names.data ?? []), ...(project ? [project] : [])]);
  return (
    <NativeSelect
      aria-label={t('project')} value={project}
      data={[{ value: '', label: t('all_projects') }, ...[...known].map((name) => ({ value: name, label: name }))]}
      onChange={({ currentTarget }) => prefer({ project: currentTarget.value })}
    />
  );
}
