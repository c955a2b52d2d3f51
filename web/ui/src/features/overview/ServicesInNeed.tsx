import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '@/features/services/address';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import classes from './Lines.module.css';
import type { Overview } from './queries';

const shown = 8;

/** A service, or a whole project. */
interface Place {
  project: string;
  service: string | null;
}

interface Props<Item> {
  title: string;
  /** The address of the complete list. */
  to: string;
  places: Item[];
  /** The complete list has further items. */
  more?: boolean;
  line: (one: Item) => ReactNode;
}

function Places<Item extends Place>({ title, to, places, more = false, line }: Props<Item>) {
  const { t } = useTranslation('overview');
  if (places.length === 0) return null;
  return (
    <Section title={title} actions={<Link to={to} size="sm">{more ? t('all') : t('count', { count: places.length })}</Link>}>
      <ul className={classes.lines}>
        {places.slice(0, shown).map((one) => (
          <li key={`${one.project}/${one.service ?? ''}`} className={classes.line}>
            <Stack gap={0} maw="60%" style={{ flex: 'none', overflowWrap: 'anywhere' }}>
              <Link to={one.service === null ? `/projects/${encodeURIComponent(one.project)}` : addressOf({ project: one.project, service: one.service })} fw={600} size="sm">{one.service ?? one.project}</Link>
              <Text size="xs" c="dimmed" component="span">{one.service === null ? t('whole_project') : one.project}</Text>
            </Stack>
            {line(one)}
          </li>
        ))}
      </ul>
      {more && <Text size="sm" mt="xs">{t('more_than', { count: places.length })}{' '}<Link to={to} size="sm">{t('all')}</Link></Text>}
    </Section>
  );
}

/** Services without a client for their tasks, and services and projects that are paused. */
export function ServicesInNeed({ unserved, paused, morePaused }: { unserved: Overview['services_without_client']; paused: Overview['paused']; morePaused: boolean }) {
  const { t } = useTranslation('overview');
  return (
    <>
      <Places title={t('unserved')} to="/services?only=unserved" places={unserved} line={({ clients }) => clients > 0 && <Text size="sm" component="span">{t('not_taking', { count: clients })}</Text>} />
      <Places
        title={t('paused')} to="/services?only=paused" places={paused} more={morePaused}
        line={({ pause }) => (
          <Text size="sm" component="span">
            {`${[pause.reason, pause.begun_by && t('paused_by', { by: pause.begun_by })].filter(Boolean).join(' · ')} · `}<RelativeTime at={pause.begun_at} />
          </Text>
        )}
      />
    </>
  );
}
