import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { failing } from './firings';
import classes from './Lines.module.css';
import { useOpenLetters } from './queries';

/** Which tasks fail most, by the failures that nobody has dealt with. */
export function FailingTasks({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const letters = useOpenLetters(project).data?.items ?? [];
  if (letters.length === 0) return null;
  return (
    <Section title={t('failing')} actions={<Link to="/dead-letters" size="sm">{t('all_letters')}</Link>}>
      <ul className={classes.lines}>
        {failing(letters).map((one) => (
          <li key={one.task} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Group gap="xs">
                <Link to={`/dead-letters?task=${one.task}`} fw={600} size="sm">{one.name}</Link>
                <Text size="xs" c="dimmed" span>{one.project}</Text>
              </Group>
              <Text size="xs" c="dimmed" lineClamp={1}><RelativeTime at={one.at} />{one.error ? `: ${one.error}` : ''}</Text>
            </Stack>
            <Badge color="red" variant="light" tt="none">{t('failures', { count: one.count })}</Badge>
          </li>
        ))}
      </ul>
    </Section>
  );
}
