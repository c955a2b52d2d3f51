import { ActionIcon, Badge, Burger, Button, ColorSwatch, Group, NativeSelect, Text, VisuallyHidden, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSearch, IconSun } from '@/shared/icons';
import { useTranslation } from 'react-i18next';
import { useLiveState, useSilence } from '@/api/live';
import { useNow } from '@/shared/clock';
import { useHint } from '@/shared/hint';
import { prefer, usePreferences, type ZoneChoice } from '@/shared/preferences';
import { viewerZone } from '@/shared/viewer_zone';
import { languages, speak, type Language } from '@/i18n';
import { ProjectSwitch } from './ProjectSwitch';
import { search } from './search';

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
  const { zone: chosen } = usePreferences();
  // The shell that the build renders must not depend on the zone of its machine.
  const zone = import.meta.env.SSR ? '' : viewerZone();
  const zones: ZoneChoice[] = ['viewer', 'task', 'utc'];
  return (
    <>
      <ProjectSwitch />
      <NativeSelect
        aria-label={t('zone.label')} value={chosen} w={{ md: 215 }} data={zones.map((value) => ({ value, label: t(`zone.${value}`, { zone }) }))}
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

function SilentBadge({ since }: { since: number }) {
  const { t } = useTranslation('shell');
  const seconds = Math.max(0, Math.round((useNow() - since) / 1000));
  const { props, bubble } = useHint(() => t('live.silent_help'));
  return (
    <>
      <Badge color={seconds < 30 ? 'orange' : 'red'} variant="light" tt="none" data-live="silent" {...props}>{t('live.silent', { seconds })}</Badge>
      {bubble}
      <VisuallyHidden role="status">{t('live.silent_help')}</VisuallyHidden>
    </>
  );
}

/** How the page learns of changes, or for how long the server has not answered. On a phone only a dot while the server answers. */
function LiveBadge() {
  const { t } = useTranslation('shell');
  const state = useLiveState();
  const silence = useSilence();
  const { props, bubble } = useHint(() => t(`live.${state}_help`));
  if (silence !== null) return <SilentBadge since={silence} />;
  const colour = state === 'stream' ? 'teal' : 'gray';
  return (
    <>
      <Badge color={colour} variant="dot" tt="none" visibleFrom="sm" data-live={state} {...props}>{t(`live.${state}`)}</Badge>
      {bubble}
      <ColorSwatch color={`var(--mantine-color-${colour}-6)`} size={10} hiddenFrom="sm" withShadow={false} role="img" aria-label={t(`live.${state}`)} data-live={state} />
    </>
  );
}

export function Header({ opened, toggle }: { opened: boolean; toggle: () => void }) {
  const { t } = useTranslation('shell');
  // On a phone there is no room for both.
  const silent = useSilence() !== null;
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t('open_menu')} aria-expanded={opened} />
        <img src={`${import.meta.env.BASE_URL}icon.svg`} width={24} height={24} alt="" />
        <Text fw={700} size="lg" {...(silent ? { visibleFrom: 'sm' } : {})}>{t('product')}</Text>
        <LiveBadge />
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button variant="default" leftSection={<IconSearch size={16} />} onClick={() => void search()} visibleFrom="sm">{t('search')}</Button>
        <ActionIcon variant="default" size="lg" aria-label={t('search')} onClick={() => void search()} hiddenFrom="sm"><IconSearch size={18} /></ActionIcon>
        <Group gap="xs" wrap="nowrap" visibleFrom="md"><Switches /></Group>
        <ThemeSwitch />
      </Group>
    </Group>
  );
}
