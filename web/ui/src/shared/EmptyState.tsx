import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  help?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, help, action }: Props) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="xs" py="lg">
        <Title order={2} size="h4">{title}</Title>
        {help && <Text c="dimmed" size="sm" ta="center" maw={480}>{help}</Text>}
        {action}
      </Stack>
    </Paper>
  );
}
