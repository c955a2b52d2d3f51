import { Group, Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper component="section" withBorder radius="md" p="lg" mb="md">
      <Group justify="space-between" mb="md" mih={30}>
        <Title order={2} size="h4">{title}</Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
