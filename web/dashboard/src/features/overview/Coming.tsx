import { Group, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { useComing } from './queries';

/** What is due next. */
export function Coming({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const { data } = useComing(project);
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={t('coming')} actions={<Link to="/executions?planned=true" size="sm">{t('all_coming')}</Link>}>
      <List listStyleType="none" spacing="xs">
        {data.items.map((one) => (
          <List.Item key={one.id}>
            <Group gap="sm">
              <Link to={`/executions/${one.id}`} fw={600} size="sm">{one.task_name ?? one.task}</Link>
              <Text size="sm" c="dimmed" component="span">{one.project}</Text>
              <Text size="sm" component="span"><RelativeTime at={one.scheduled_at} /></Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
