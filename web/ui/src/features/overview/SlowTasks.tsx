import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { useDuration } from '@/shared/Times';
import classes from './Lines.module.css';
import type { Overview } from './queries';

/** Which tasks run slower than they used to. */
export function SlowTasks({ tasks }: { tasks: Overview['slow'] }) {
  const { t } = useTranslation('overview');
  const say = useDuration();
  if (tasks.length === 0) return null;
  return (
    <Section title={t('slow')}>
      <ul className={classes.lines}>
        {tasks.map((one) => (
          <li key={one.task} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Link to={`/tasks/${one.task}`} fw={600} size="sm">{one.name}</Link>
              <Text size="xs" c="dimmed">{one.project}</Text>
            </Stack>
            <Text size="sm" component="span">{t('slow_line', { usual: say(one.usual_ms), recent: say(one.recent_ms) })}</Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
