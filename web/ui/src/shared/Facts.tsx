import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Fact {
  label: string;
  value: ReactNode;
}

/** Short facts with their names, as many beside each other as fit. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 4 }} m={0} spacing="lg">
      {facts.map(({ label, value }) => (
        <Stack key={label} gap={2}>
          <Text component="dt" size="xs" c="dimmed">{label}</Text>
          <Text component="dd" size="sm" m={0}>{value}</Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
