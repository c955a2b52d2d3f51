import { Group, Paper, Text } from '@mantine/core';
import { useRef, useState, type KeyboardEvent, type MouseEvent, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { addressOf } from '@/features/services/address';
import { Link } from '@/shared/Link';
import { StateBadge } from '@/shared/StateBadge';
import { useZone } from '@/shared/Times';
import { aimOf, type Bar, type Row } from './bars';
import classes from './Chart.module.css';
import { Plot } from './Plot';
import { daysBegun, type Range } from './range';
import { useNameOf, useTimesOf } from './words';

function Axis({ range, ticks }: { range: Range; ticks: number[] }) {
  const { i18n } = useTranslation();
  const zone = useZone();
  const clock = new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone });
  const day = new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: zone });
  const begun = daysBegun(ticks, zone === 'UTC');
  return (
    <div className={classes.axis} aria-hidden="true" data-days={begun.size > 0 || undefined}>
      <span />
      <div className={classes.times}>
        {ticks.map((at) => <span key={at} className={classes.time} style={{ left: `${(100 * (at - range.begin)) / (range.end - range.begin)}%` }}>{begun.has(at) && <span className={classes.weekday}>{day.format(at)}</span>}{clock.format(at)}</span>)}
      </div>
    </div>
  );
}

interface Tip {
  bar: Bar;
  left: number;
  top: number;
}

function TipBox({ tip: { bar, left, top } }: { tip: Tip }) {
  const times = useTimesOf();
  const nameOf = useNameOf();
  return (
    <Paper withBorder shadow="md" p="xs" radius="md" className={classes.tip} style={{ left, top }} role="tooltip">
      <Group gap="xs" wrap="nowrap"><Text size="sm" fw={600}>{nameOf(bar)}</Text><StateBadge state={bar.state} /></Group>
      <Text size="sm">{times(bar)}</Text>
    </Paper>
  );
}

function idOf(event: SyntheticEvent): string | undefined {
  return (event.target as Element).closest<SVGAElement>('[data-bar]')?.dataset.bar;
}

/** What a bar tells on hover and focus: at the bar, and inside the chart. */
function useTip(rows: Row[]) {
  const box = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  function show(event: SyntheticEvent) {
    const id = idOf(event);
    const bar = rows.flatMap(({ bars }) => bars).find((one) => one.id === id);
    const place = box.current?.getBoundingClientRect();
    const mark = (event.target as Element).closest('[data-bar]')?.getBoundingClientRect();
    if (!bar || !place || !mark) return setTip(null);
    setTip({ bar, left: Math.max(0, Math.min(mark.left - place.left, place.width - 280)), top: mark.bottom - place.top + 6 });
  }
  return { box, tip, show, hide: () => setTip(null) };
}

export function Chart({ rows, range, ticks, now }: { rows: Row[]; range: Range; ticks: number[]; now: number | null }) {
  const { t } = useTranslation('day');
  const [, go] = useLocation();
  const { box, tip, show, hide } = useTip(rows);
  const [chosen, choose] = useState<string>();
  const known = rows.some(({ bars }) => bars.some(({ id }) => id === chosen));
  const current = known ? chosen : rows[0]?.bars[0]?.id;

  function keys(event: KeyboardEvent) {
    const id = idOf(event);
    if (event.key === 'Escape') return hide();
    const aim = id && aimOf(rows, id, event.key);
    if (!aim) return;
    event.preventDefault();
    choose(aim.id);
    box.current?.querySelector<SVGAElement>(`[data-bar="${aim.id}"]`)?.focus();
  }
  function open(event: MouseEvent) {
    const id = idOf(event);
    if (!id || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const bar = rows.flatMap(({ bars }) => bars).find((one) => one.id === id);
    if (bar) go(bar.path);
  }
  return (
    <div
      ref={box} className={classes.chart} role="group" aria-label={t('chart')} aria-describedby="day-keys"
      onKeyDown={keys} onClick={open} onFocus={show} onBlur={hide} onMouseOver={show} onMouseLeave={hide}
    >
      <Axis range={range} ticks={ticks} />
      {rows.map((row) => (
        <div key={row.key} className={classes.row}>
          <div>
            {row.service === null
              ? <Text size="sm" c="dimmed">{t('unknown_service')}</Text>
              : <Link to={addressOf({ project: row.project, service: row.service })} size="sm" fw={600}>{row.service}</Link>}
            <Text size="xs" c="dimmed">{`${row.project} · ${t('count', { count: row.bars.length })}`}</Text>
          </div>
          <Plot row={row} range={range} ticks={ticks} now={now} current={row.bars.some(({ id }) => id === current) ? current : undefined} />
        </div>
      ))}
      {tip && <TipBox tip={tip} />}
    </div>
  );
}
