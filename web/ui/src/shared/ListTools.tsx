import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { IconBookmark, IconColumns, IconX } from './icons';
import { sameSearch, useViews, withView } from './views';

function NewView({ search, save }: { search: string; save: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  function send(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === '') return;
    save(name.trim());
    setName('');
  }
  if (search === '') return <Text size="sm" c="dimmed">{t('views.how')}</Text>;
  return (
    <form onSubmit={send}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput label={t('views.name')} size="xs" value={name} maxLength={60} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        <Button type="submit" size="xs" disabled={name.trim() === ''}>{t('save')}</Button>
      </Group>
    </form>
  );
}

/** Filters that were kept under a name, in this browser. */
function Views({ list, path }: { list: string; path: string }) {
  const { t } = useTranslation();
  const [views, keep] = useViews(list);
  const [opened, open] = useState(false);
  const search = useSearch();
  const [, go] = useLocation();
  const present = views.find((one) => sameSearch(one.search, search));
  return (
    <Popover opened={opened} onChange={open} position="bottom-end" withArrow trapFocus returnFocus shadow="md" width={300}>
      <Popover.Target>
        <Button variant="default" size="sm" leftSection={<IconBookmark size={16} />} onClick={() => open(!opened)} aria-haspopup="dialog" aria-expanded={opened}>
          {present?.name ?? t('views.title')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('views.title')}>
        <Stack gap="xs">
          {views.length === 0 && <Text size="sm">{t('views.none')}</Text>}
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap" justify="space-between">
              <Button
                variant={view === present ? 'light' : 'subtle'} size="compact-sm" justify="flex-start" flex={1} aria-current={view === present ? 'true' : undefined}
                onClick={() => { open(false); go(`${path}?${view.search}`); }}
              >
                {view.name}
              </Button>
              <ActionIcon variant="subtle" color="gray" aria-label={t('views.forget', { name: view.name })} onClick={() => keep(views.filter((one) => one !== view))}><IconX size={14} /></ActionIcon>
            </Group>
          ))}
          <NewView search={search} save={(name) => { keep(withView(views, { name, search })); open(false); }} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface Props<Item> {
  /** Under which the browser keeps the choices. */
  list: string;
  path: string;
  columns: ColumnDef<Item>[];
  hidden: string[];
  hide: (names: string[]) => void;
}

/** What a viewer keeps of a list: its filters under a name, and which columns it has. */
export function ListTools<Item>({ list, path, columns, hidden, hide }: Props<Item>) {
  const { t } = useTranslation();
  const choices = columns.filter(({ id, enableHiding }) => id !== undefined && enableHiding !== false);
  const turn = (id: string, shown: boolean) => hide(shown ? hidden.filter((one) => one !== id) : [...hidden, id]);
  return (
    <Group gap="xs" ml="auto">
      <Views list={list} path={path} />
      <Popover position="bottom-end" withArrow trapFocus returnFocus shadow="md">
        <Popover.Target>
          <Button variant="default" size="sm" leftSection={<IconColumns size={16} />}>{t('columns')}</Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('columns')}>
          <Stack gap="xs">
            {choices.map(({ id = '', header }) => (
              <Checkbox key={id} label={typeof header === 'string' ? header : id} checked={!hidden.includes(id)} onChange={({ currentTarget }) => turn(id, currentTarget.checked)} />
            ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
