import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/shared/clock';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { linesOf } from './attention';
import classes from './Lines.module.css';
import type { Overview } from './queries';

const mostShown = 6;

function Line({ firing }: { firing: Overview['due_next'][number] | null }) {
  return (
    <li className={classes.line} aria-hidden={firing === null}>
      <Stack gap={0} miw={0}>
        {firing ? <Link to={`/tasks/${firing.task}`} fw={600} size="sm" truncate>{firing.name}</Link> : <Text size="sm">{'\u00a0'}</Text>}
        <Text size="xs" c="dimmed" truncate>{firing?.project ?? '\u00a0'}</Text>
      </Stack>
      {firing && <Text size="sm" component="span"><RelativeTime at={firing.at} /></Text>}
    </li>
  );
}

/** What is due next. A firing that is past leaves its line empty, so that nothing below moves. */
export function Coming({ firings }: { firings: Overview['due_next'] }) {
  const { t } = useTranslation('overview');
  const now = useNow();
  if (firings.length === 0) return null;
  return (
    <Section title={t('coming')} actions={<Link to="/day?from=now&hours=12" size="sm">{t('all_coming')}</Link>}>
      <ul className={classes.lines}>
        {linesOf(firings, now, mostShown).map((one, at) => <Line key={one === null ? at : (one.execution ?? one.task + one.at)} firing={one} />)}
      </ul>
    </Section>
  );
}
