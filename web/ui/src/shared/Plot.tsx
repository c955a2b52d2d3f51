import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { alone } from './gaps';
import type { ChartProps } from './LineChart';
import { clockTime } from './time';
import { useZone } from './Times';

// Seconds between two times on the axis: none closer than what their texts tell apart.
const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600];

/** The lines of a chart, with the colours of the theme and the times of the chosen zone. */
export default function Plot({ label, times, series, height = 160 }: ChartProps) {
  const { ref: box, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const { t, i18n } = useTranslation();
  const zone = useZone();
  const dark = useComputedColorScheme() === 'dark';
  useEffect(() => {
    if (!place.current || width === 0) return;
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--mantine-color-${name}-${dark ? 4 : 7}`);
    const axis = { stroke: dark ? '#adadad' : '#5c636a', grid: { stroke: dark ? '#3b3b3b' : '#e9ecef', width: 1 }, ticks: { show: false } };
    const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
    const value = (_: uPlot, at: number | null) => (at === null ? '–' : number.format(at));
    const lines = series.map(({ label: name, colour: of }) => ({ label: name, value, stroke: colour(of), width: 2, points: { show: true, size: 5, fill: colour(of), filter: (_: uPlot, at: number) => alone(series[at - 1]?.values ?? []) } }));
    const say = (at: number) => clockTime(at * 1000, zone, i18n.language);
    // At rest the legend has the latest values.
    const latest = (of: uPlot) => {
      if (of.cursor.idx === null || of.cursor.idx === undefined) of.setLegend({ idx: times.length - 1 }, false);
    };
    const plot = new uPlot(
      {
        width, height: height + 32, // with the legend
        series: [{ label: t('time'), value: (_, at: number | null) => (at === null ? '–' : say(at)) }, ...lines],
        axes: [{ ...axis, incrs: steps, values: (_, splits) => splits.map(say) }, { ...axis, size: 56 }],
        scales: { y: { range: (_, __, most) => [0, Math.max(most ?? 0, 1)] } },
        hooks: { ready: [latest], setLegend: [latest] },
        cursor: { y: false, drag: { x: false, y: false } },
      },
      [times, ...series.map(({ values }) => values)], place.current,
    );
    return () => plot.destroy();
  }, [width, height, times, series, dark, zone, t, i18n.language]);
  return (
    <div ref={box} role="img" aria-label={label}>
      <div ref={place} />
    </div>
  );
}
