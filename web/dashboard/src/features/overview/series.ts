import type { ChartProps } from '@/shared/LineChart';

/** A chart of the overview: of the rate of executions, or of their lag. */
export interface Trend extends ChartProps {
  name: string;
}

/** The API has no such series yet, so there is none to show. */
export function useTrends(): Trend[] {
  return [];
}
