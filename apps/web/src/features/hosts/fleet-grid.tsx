import { entityKey } from '@candela/kernel';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { useWidth } from '../../charts/visualise/use-size.ts';
import { mayTakeFocus, useHotkey } from '../../lib/hotkeys.ts';
import { textScale } from '../../lib/rem.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { FleetRow } from './fleet.ts';
import { heightOf, TILE } from './gpu-tile.tsx';
import { HEAD_WIDTH, HostRow, tileKey } from './host-row.tsx';

const HEAD_HEIGHT = 134;
const GROUP_HEIGHT = 34;
const PADDING = 17;

interface Stop {
  readonly key: string;
  readonly row: number;
  readonly host: string;
  readonly gpu: string | undefined;
}

/** Hosts with their tiles, virtualised by host; j and k walk hosts, the arrows also the GPUs of one. */
export function FleetGrid(props: {
  rows: readonly FleetRow[];
  toMs: number;
  searchOf: (environment: string, name: string) => { in?: string };
  showEnvironment: boolean;
  active: string | undefined;
  onActive: (key: string | undefined) => void;
}) {
  const { rows, active } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const scale = textScale();
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(rows[index], width / scale) * scale,
    overscan: 4,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const stops = useMemo(() => stopsOf(rows), [rows]);
  const at = stops.findIndex(({ key }) => key === active);
  const walked = useRef(false);
  useEffect(() => {
    if (!walked.current) return;
    walked.current = false;
    // The link itself, so that it is read out; a search field keeps what it has.
    if (mayTakeFocus())
      scroller.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true });
  }, [active]);
  const choose = (stop: Stop | undefined) => {
    if (!stop) return;
    props.onActive(stop.key);
    virtual.scrollToIndex(stop.row);
    walked.current = true;
  };
  const hosts = (by: number) => {
    const heads = stops.filter(({ gpu }) => gpu === undefined);
    const row = stops[at]?.row ?? -1;
    const here = heads.findLastIndex((stop) => stop.row <= row);
    choose(heads[Math.min(heads.length - 1, Math.max(0, at === -1 ? 0 : here + by))]);
  };
  const about = { group: 'Fleet', enabled: stops.length > 0 };
  useHotkey(['j', 'ArrowDown'], () => hosts(1), { ...about, label: 'Next host' });
  useHotkey(['k', 'ArrowUp'], () => hosts(-1), { ...about, label: 'Previous host' });
  useHotkey('ArrowRight', () => choose(stops[at === -1 ? 0 : at + 1]), { ...about, label: 'Next GPU' });
  useHotkey('ArrowLeft', () => choose(stops[Math.max(0, at - 1)]), { ...about, label: 'Previous GPU' });
  useHotkey(
    'Enter',
    () => {
      const stop = stops[at];
      const row = stop && rows[stop.row];
      if (!stop || row?.kind !== 'host') return;
      const search = props.searchOf(row.host.environment, row.host.name);
      const host = entityKey(stop.host);
      void (stop.gpu === undefined
        ? navigate({ to: '/hosts/$host', params: { host }, search })
        : navigate({ to: '/hosts/$host/gpus/$gpu', params: { host, gpu: entityKey(stop.gpu) }, search }));
    },
    { group: 'Fleet', label: 'Open the host or GPU', enabled: at !== -1 },
  );
  useHotkey('Escape', () => props.onActive(undefined), {
    group: 'Fleet',
    label: 'Let go of it',
    enabled: at !== -1,
  });
  return (
    <div
      ref={scroller}
      className="h-full overflow-auto"
      data-testid="fleet"
      tabIndex={0}
      role="region"
      aria-label="Hosts"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtual.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row.kind === 'group' ? (
                <h2 className="flex items-baseline gap-2 border-b border-line bg-sunken px-3 py-1.5 font-medium">
                  <MiddleTruncation name={row.label} />
                  <span className="text-sm font-normal text-muted">
                    {row.hosts} {row.hosts === 1 ? 'host' : 'hosts'}, {row.gpus}{' '}
                    {row.gpus === 1 ? 'GPU' : 'GPUs'}
                  </span>
                </h2>
              ) : (
                <HostRow
                  entry={row}
                  toMs={props.toMs}
                  search={props.searchOf(row.host.environment, row.host.name)}
                  showEnvironment={props.showEnvironment}
                  active={active}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function estimate(row: FleetRow | undefined, width: number): number {
  if (row === undefined || row.kind === 'group') return GROUP_HEIGHT;
  const across = Math.max(1, Math.floor((width - HEAD_WIDTH - 36) / (TILE.width + TILE.gap)));
  let tiles = 0;
  for (let at = 0; at < row.gpus.length; at += across) {
    tiles += TILE.gap + Math.max(...row.gpus.slice(at, at + across).map(heightOf));
  }
  return PADDING + Math.max(HEAD_HEIGHT, tiles);
}

/** Where the keyboard may stand: every host, and after it each of its GPUs and partitions. */
function stopsOf(rows: readonly FleetRow[]): Stop[] {
  return rows.flatMap((row, index): Stop[] =>
    row.kind === 'group'
      ? []
      : [
          { key: row.key, row: index, host: row.host.name, gpu: undefined },
          ...row.gpus
            .flatMap(({ gpu, children }) => [gpu, ...children])
            .map((gpu) => ({ key: tileKey(row.key, gpu.id), row: index, host: row.host.name, gpu: gpu.id })),
        ],
  );
}
