import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/shared/clock';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { ahead } from './attention';
import classes from './Lines.module.css';
import type { Overview } from './queries';

/** What is due next. */
export function Coming({ firings }: { firings: Overview['due_next'] }) {
  const { t } = useTranslation('overview');
  const now = useNow();
  if (firings.length === 0) return null;
  return (
    <Section title={t('coming')} actions={<Link to="/executions?planned=true" size="sm">{t('all_coming')}</Link>}>
      <ul className={classes.lines}>
        {ahead(firings, now).map((one) => (
          <li key={one.execution ?? one.task + one.at} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Link to={`/tasks/${one.task}`} fw={600} size="sm">{one.name}</Link>
              <Text size="xs" c="dimmed">{one.project}</Text>
            </Stack>
            <Group gap="xs"><Text size="sm" component="span"><RelativeTime at={one.at} /></Text></Group>
          </li>
        ))}
      </ul>
    </Section>
  );
}
