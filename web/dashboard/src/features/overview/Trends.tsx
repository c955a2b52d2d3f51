import { SimpleGrid } from '@mantine/core';
import { LineChart } from '@/shared/LineChart';
import { Section } from '@/shared/Section';
import type { Trend } from './series';

/** Charts beside each other. Without one there is nothing. */
export function Trends({ trends }: { trends: Trend[] }) {
  if (trends.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      {trends.map(({ name, ...chart }) => <Section key={name} title={chart.label}><LineChart {...chart} /></Section>)}
    </SimpleGrid>
  );
}
