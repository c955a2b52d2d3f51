import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/shared/clock';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { ahead } from './attention';
import classes from './Lines.module.css';
import type { Overview } from './queries';

const mostShown = 6;

/** What is due next. As many lines as the answer has, so that nothing below moves when a firing is past. */
export function Coming({ firings }: { firings: Overview['due_next'] }) {
  const { t } = useTranslation('overview');
  const now = useNow();
  if (firings.length === 0) return null;
  const shown = ahead(firings, now).slice(0, mostShown);
  const missing = Math.max(0, Math.min(mostShown, firings.length) - shown.length);
  return (
    <Section title={t('coming')} actions={<Link to="/executions?planned=true" size="sm">{t('all_coming')}</Link>}>
      <ul className={classes.lines}>
        {shown.map((one) => (
          <li key={one.execution ?? one.task + one.at} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Link to={`/tasks/${one.task}`} fw={600} size="sm" truncate>{one.name}</Link>
              <Text size="xs" c="dimmed" truncate>{one.project}</Text>
            </Stack>
            <Group gap="xs"><Text size="sm" component="span"><RelativeTime at={one.at} /></Text></Group>
          </li>
        ))}
        {Array.from({ length: missing }, (_, at) => (
          <li key={at} className={classes.line} aria-hidden="true"><Stack gap={0}><Text size="sm">{'\u00a0'}</Text><Text size="xs">{'\u00a0'}</Text></Stack></li>
        ))}
      </ul>
    </Section>
  );
}
