import { Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@/shared/icons';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { places } from './features';

/** Ctrl+K or Cmd+K: go to a page by its name. */
export function Palette() {
  const { t } = useTranslation(['shell', 'tasks']);
  const [, go] = useLocation();
  const actions = places.map(({ name, path, icon: Icon }) => ({
    id: path,
    label: t(`${name}:title` as 'tasks:title'),
    leftSection: <Icon size={20} stroke={1.5} />,
    onClick: () => go(path),
  }));
  return (
    <Spotlight
      actions={actions} nothingFound={t('shell:nothing_found')} shortcut={['mod + K']} highlightQuery
      searchProps={{ leftSection: <IconSearch size={20} />, placeholder: t('shell:search_placeholder'), 'aria-label': t('shell:search') }}
    />
  );
}
