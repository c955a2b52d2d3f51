import { AppShell, NavLink, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { Header, Switches } from './Header';
import { places } from './features';
import classes from './Shell.module.css';

function Navigation({ close }: { close: () => void }) {
  const { t } = useTranslation(['shell', 'tasks']);
  const [location] = useLocation();
  return (
    <>
      {places.map(({ name, path, icon: Icon }) => (
        <NavLink
          key={path} component={Link} href={path} label={t(`${name}:title` as 'tasks:title')}
          leftSection={<Icon size={18} stroke={1.6} />} active={location === path || location.startsWith(`${path}/`)}
          aria-current={location === path ? 'page' : undefined} onClick={close} className={classes.link}
        />
      ))}
    </>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell header={{ height: 60 }} navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !opened } }} padding={{ base: 'md', md: 'xl' }} offsetScrollbars={false}>
      <a href="#page" className={classes.skip}>{t('skip')}</a>
      <AppShell.Header><Header opened={opened} toggle={toggle} /></AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('navigation')}>
        <Navigation close={close} />
        <Stack hiddenFrom="md" mt="lg" gap="sm"><Switches /></Stack>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.page}>{children}</AppShell.Main>
    </AppShell>
  );
}
