import { ActionIcon, Badge, Burger, Button, Group, NativeSelect, Text, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { IconMoon, IconSearch, IconSun } from '@/shared/icons';
import { useTranslation } from 'react-i18next';
import { useLiveState } from '@/api/live';
import { prefer, usePreferences, type ZoneChoice } from '@/shared/preferences';
import { languages, speak, type Language } from '@/i18n';
import { ProjectSwitch } from './ProjectSwitch';

export function ThemeSwitch() {
  const { t } = useTranslation('shell');
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const label = t(dark ? 'theme.to_light' : 'theme.to_dark');
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={() => setColorScheme(dark ? 'light' : 'dark')}>
      {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

export function Switches() {
  const { t, i18n } = useTranslation('shell');
  const { zone } = usePreferences();
  const zones: ZoneChoice[] = ['viewer', 'task', 'utc'];
  return (
    <>
      <ProjectSwitch />
      <NativeSelect
        aria-label={t('zone.label')} value={zone} data={zones.map((value) => ({ value, label: t(`zone.${value}`) }))}
        onChange={({ currentTarget }) => prefer({ zone: currentTarget.value as ZoneChoice })}
      />
      <NativeSelect
        aria-label={t('language')} value={i18n.language}
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) => void speak(currentTarget.value as Language)}
      />
    </>
  );
}

function LiveBadge() {
  const { t } = useTranslation('shell');
  const state = useLiveState();
  return (
    <Tooltip label={t(`live.${state}_help`)}>
      <Badge color={state === 'stream' ? 'teal' : 'gray'} variant="dot" tt="none" visibleFrom="sm">{t(`live.${state}`)}</Badge>
    </Tooltip>
  );
}

export function Header({ opened, toggle }: { opened: boolean; toggle: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t('open_menu')} aria-expanded={opened} />
        <img src={`${import.meta.env.BASE_URL}icon.svg`} width={24} height={24} alt="" />
        <Text fw={700} size="lg">{t('product')}</Text>
        <LiveBadge />
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button variant="default" leftSection={<IconSearch size={16} />} onClick={spotlight.open} visibleFrom="sm">{t('search')}</Button>
        <ActionIcon variant="default" size="lg" aria-label={t('search')} onClick={spotlight.open} hiddenFrom="sm"><IconSearch size={18} /></ActionIcon>
        <Group gap="xs" wrap="nowrap" visibleFrom="md"><Switches /></Group>
        <ThemeSwitch />
      </Group>
    </Group>
  );
}
