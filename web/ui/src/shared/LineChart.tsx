import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

const Plot = lazy(() => import('./Plot'));

export interface Series {
  label: string;
  /** A colour of the theme, such as "teal". */
  colour: string;
  values: (number | null)[];
}

export interface ChartProps {
  /** What the chart tells, for those who do not see it. */
  label: string;
  /** Seconds since 1970. */
  times: number[];
  series: Series[];
  height?: number;
}

export function LineChart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 160} />}>
      <Plot {...props} />
    </Suspense>
  );
}
