import { Box, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { useDeletedTasks } from './queries';

/** Tasks that had exactly this name and were deleted. Their executions are still there. */
export function Deleted({ name, project }: { name: string; project: string }) {
  const { t } = useTranslation('tasks');
  const { data } = useDeletedTasks(name, project);
  if (!data || data.items.length === 0) return null;
  return (
    <Box mt="md">
      <Section title={t('deleted_ones', { name })}>
        <List size="sm" spacing={4}>
          {data.items.map((one) => (
            <List.Item key={one.id}>
              <Link to={`/executions?task=${one.id}`} size="sm">{t('deleted_executions', { project: one.project })}</Link>
              <Text span size="sm" c="dimmed">{` · ${t('deleted_at')} `}<RelativeTime at={one.deleted_at} /></Text>
            </List.Item>
          ))}
        </List>
      </Section>
    </Box>
  );
}
