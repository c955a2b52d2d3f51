import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

interface Props {
  title: string;
  summary?: ReactNode;
  badge?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, summary, badge, actions }: Props) {
  useEffect(() => {
    document.title = `${title} · baton`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <Stack gap={4}>
        <Group gap="sm">
          <Title order={1} size="h2">{title}</Title>
          {badge}
        </Group>
        {summary && <Text c="dimmed" size="sm" component="div">{summary}</Text>}
      </Stack>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
