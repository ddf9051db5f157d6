import { BOARD_LIMITS, type PanelInput } from '@candela/contract';
import type { Document, Imported } from './index.ts';
import { boardOf, type Found, lineOf, numberOf, textOf } from './parts.ts';
import { sqlPanel } from './sql.ts';

const isRecord = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Grafana's grid has 24 columns, and rows of 30 pixels where ours have about twice as many. */
const HALF = 2;
const TYPES: Readonly<Record<string, PanelInput['visual']['type']>> = {
  stat: 'stat',
  gauge: 'stat',
  bargauge: 'bar',
  barchart: 'bar',
  timeseries: 'line',
  graph: 'line',
  piechart: 'pie',
  table: 'table',
  heatmap: 'heatmap',
};

/** A classic Grafana dashboard: rows are opened, text and statements are taken, the rest says why not. */
export function fromGrafana(dashboard: Document): Imported {
  const panels = (dashboard['panels'] as readonly unknown[]).flatMap((panel): Document[] => {
    if (!isRecord(panel)) return [];
    if (panel['type'] !== 'row') return [panel];
    return Array.isArray(panel['panels']) ? panel['panels'].filter(isRecord) : [];
  });
  const found = panels.map((panel): Found => {
    const at = isRecord(panel['gridPos']) ? panel['gridPos'] : {};
    return {
      title: lineOf(panel['title'], 'Untitled'),
      description: textOf(panel['description'], BOARD_LIMITS.description),
      ...panelOf(panel),
      place: {
        x: Math.floor(numberOf(at['x'], 0) / HALF),
        y: Math.floor(numberOf(at['y'], 0) / HALF),
        w: Math.max(1, Math.round(numberOf(at['w'], 12) / HALF)),
        h: Math.max(1, Math.round(numberOf(at['h'], 8) / HALF)),
      },
    };
  });
  const tags = Array.isArray(dashboard['tags']) ? dashboard['tags'] : [];
  const head = {
    title: lineOf(dashboard['title'], 'Imported dashboard'),
    description: textOf(dashboard['description'], BOARD_LIMITS.description),
    tags: tags.flatMap((tag) =>
      typeof tag === 'string' && tag.trim() !== '' ? [lineOf(tag, 'tag', 40)] : [],
    ),
  };
  return boardOf(head, found, 'grafana');
}

function panelOf(panel: Document): { panel: PanelInput | undefined; reason: string } {
  const type = String(panel['type']);
  if (type === 'text') {
    const options = isRecord(panel['options']) ? panel['options'] : panel;
    const text = textOf(options['content'], 20_000);
    return options['mode'] === 'html'
      ? { panel: undefined, reason: 'Its text is HTML.' }
      : { panel: { query: { kind: 'markdown', text }, visual: { type: 'markdown' } }, reason: '' };
  }
  const drawn = TYPES[type];
  if (drawn === undefined)
    return { panel: undefined, reason: `The panel type ${lineOf(type, '?', 40)} has no match.` };
  const targets = Array.isArray(panel['targets']) ? panel['targets'].filter(isRecord) : [];
  const [target] = targets;
  const sql = target?.['rawSql'] ?? target?.['query'];
  if (typeof sql !== 'string' || !/^\s*(?:select|with)\b/iu.test(sql))
    return { panel: undefined, reason: 'Its data source is no ClickHouse.' };
  if (targets.length > 1) return { panel: undefined, reason: 'It has several queries.' };
  return sqlPanel(sql, drawn, {});
}
