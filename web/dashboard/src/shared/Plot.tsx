import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps } from './LineChart';

export default function Plot({ label, times, series, height = 160 }: ChartProps) {
  const { ref: box, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current || width === 0) return;
    const lines = series.map(({ label: name, colour }) => ({ label: name, stroke: colour, width: 2 }));
    const plot = new uPlot({ width, height, series: [{}, ...lines] }, [times, ...series.map(({ values }) => values)], place.current);
    return () => plot.destroy();
  }, [width, height, times, series]);
  return (
    <div ref={box} role="img" aria-label={label}>
      <div ref={place} />
    </div>
  );
}
