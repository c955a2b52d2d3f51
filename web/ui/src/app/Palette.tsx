import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconListCheck, IconSearch } from '@/shared/icons';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useTaskNames } from '@/api/task_names';
import { usePreferences } from '@/shared/preferences';
import { places } from './features';

/** Tasks whose names have the text in them. A letter alone would find too much. */
function useTasks(text: string): SpotlightActionGroupData[] {
  const { t } = useTranslation(['shell', 'tasks']);
  const [, go] = useLocation();
  const { project } = usePreferences();
  const [part] = useDebouncedValue(text.trim(), 200);
  const { data } = useTaskNames(project, part, part.length > 1);
  if (part.length < 2 || !data || data.length === 0) return [];
  const actions = data.slice(0, 8).map((task) => ({
    id: `task ${task.id}`, label: task.name, description: task.project, keywords: text,
    leftSection: <IconListCheck size={20} stroke={1.5} />, onClick: () => go(`/tasks/${task.id}`),
  }));
  return [{ group: t('tasks:title'), actions }];
}

// Enter goes to the first hit unless the arrows chose another.
function goToFirst(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || document.querySelector('[data-action][data-selected]')) return;
  document.querySelector<HTMLElement>('[data-action]')?.click();
}

/** Go to a page or a task by its name. `search.ts` opens it. */
export function Palette() {
  const { t } = useTranslation(['shell', 'tasks']);
  const [, go] = useLocation();
  const [text, type] = useState('');
  const pages = places.map(({ name, path, icon: Icon }) => ({
    id: path,
    label: t(`${name}:title` as 'tasks:title'),
    leftSection: <Icon size={20} stroke={1.5} />,
    onClick: () => go(path),
  }));
  return (
    <Spotlight
      actions={[{ group: t('shell:navigation'), actions: pages }, ...useTasks(text)]} nothingFound={t('shell:nothing_found')} shortcut={null} highlightQuery
      query={text} onQueryChange={type}
      searchProps={{ onKeyDown: goToFirst, leftSection: <IconSearch size={20} />, placeholder: t('shell:search_placeholder'), 'aria-label': t('shell:search') }}
    />
  );
}
