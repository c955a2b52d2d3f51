import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useHref } from './href';
import { type Bar, drawn, type Row, shortestShown } from './bars';
import classes from './Chart.module.css';
import { barStyle } from './colour';
import type { Range } from './range';
import { useNameOf, useTimesOf } from './words';

const laneHeight = 14;
// An execution of milliseconds must be seen, and met by a pointer.
const narrowest = 3;
const narrowestTarget = 9;

interface Props {
  row: Row;
  range: Range;
  ticks: number[];
  now: number | null;
  /** The bar that Tab reaches, if it is in this row. */
  current: string | undefined;
}

function BarLink({ bar, range, current, label, href }: { bar: Bar; range: Range; current: boolean; label: string; href: string }) {
  const percent = (ms: number) => (100 * ms) / (range.end - range.begin);
  const width = Math.max(shortestShown, percent(bar.end - bar.begin));
  const left = Math.min(percent(bar.begin - range.begin), 100 - shortestShown);
  const place = { y: bar.lane * laneHeight + 2, height: laneHeight - 4 };
  return (
    <a
      href={href} data-bar={bar.id} tabIndex={current ? 0 : -1} className={classes.link} aria-label={label}
    >
      <rect className={classes.target} style={{ x: `calc(${left}% - 3px)`, width: `max(${narrowestTarget}px, ${width}%)` }} {...place} />
      <rect
        className={classes.bar} style={{ ...barStyle(bar.state), width: `max(${narrowest}px, ${width}%)` }} data-planned={bar.state === 'planned' || undefined} rx={2}
        x={`${left}%`} {...place}
      />
    </a>
  );
}

/** The bars of one service. */
export const Plot = memo(function Plot({ row, range, ticks, now, current }: Props) {
  const { t } = useTranslation();
  const times = useTimesOf();
  const nameOf = useNameOf();
  const href = useHref();
  const height = row.lanes * laneHeight;
  const x = (at: number) => `${(100 * (at - range.begin)) / (range.end - range.begin)}%`;
  return (
    <svg className={classes.plot} height={height} role="group" aria-label={row.service ?? row.project}>
      {ticks.map((at) => <line key={at} className={classes.tick} x1={x(at)} x2={x(at)} y1={0} y2={height} />)}
      {drawn(row.bars).map((bar) => (
        <BarLink
          key={bar.id} bar={bar} range={range} current={bar.id === current} href={href(bar.path)}
          label={`${nameOf(bar)}, ${t(`state.${bar.state}`)}, ${times(bar)}`}
        />
      ))}
      {now !== null && <line className={classes.now} x1={x(now)} x2={x(now)} y1={0} y2={height} />}
    </svg>
  );
});
