import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '@/shared/Link';
import { Reason } from '@/shared/Reason';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { failuresAddress } from './attention';
import classes from './Lines.module.css';
import type { Overview } from './queries';

/** Which tasks failed most in the last day. */
export function FailingTasks({ tasks }: { tasks: Overview['failing'] }) {
  const { t } = useTranslation('overview');
  if (tasks.length === 0) return null;
  return (
    <Section title={t('failing')} actions={<Link to="/dead-letters" size="sm">{t('all_letters')}</Link>}>
      <ul className={classes.lines}>
        {tasks.map((one) => (
          <li key={one.task} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Group gap="xs">
                <Link to={failuresAddress(one)} fw={600} size="sm">{one.name ?? one.task}</Link>
                <Text size="xs" c="dimmed" span>{one.project}</Text>
              </Group>
              <Text size="xs" c="dimmed" lineClamp={1}><RelativeTime at={one.last_at} />{one.error && <>{': '}<Reason text={one.error} /></>}</Text>
            </Stack>
            <Badge color="red" variant="light" tt="none">{t('failures', { count: one.failures })}</Badge>
          </li>
        ))}
      </ul>
    </Section>
  );
}
