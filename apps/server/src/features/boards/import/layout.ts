import { BOARD_LIMITS, type PanelInput } from '@candela/contract';
import type { Document, Imported } from './index.ts';
import { boardOf, type Found, lineOf, numberOf, textOf } from './parts.ts';
import { sqlPanel } from './sql.ts';

/** The layout JSON has a grid of four columns. */
const SCALE = 3;
const TYPES: Readonly<Record<string, PanelInput['visual']['type']>> = {
  STAT_CARD: 'stat',
  BAR_CHART: 'bar',
  LINE_CHART: 'line',
  AREA_CHART: 'area',
  PIE_CHART: 'pie',
  TABLE: 'table',
};

const isRecord = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function tagsOf(value: unknown): string[] {
  let list: unknown = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      list = [];
    }
  }
  return Array.isArray(list)
    ? list.flatMap((tag) => (typeof tag === 'string' && tag.trim() !== '' ? [lineOf(tag, 'tag', 40)] : []))
    : [];
}

/** The layout JSON: `widgets` by id and `layouts.lg` with their places. */
export function fromLayout(document: Document): Imported {
  const widgets = isRecord(document['widgets']) ? new Map(Object.entries(document['widgets'])) : new Map();
  const layouts = isRecord(document['layouts']) ? document['layouts']['lg'] : undefined;
  const found = (Array.isArray(layouts) ? layouts : []).flatMap((item: unknown): Found[] => {
    const widget: unknown = isRecord(item) ? widgets.get(String(item['i'])) : undefined;
    if (!isRecord(item) || !isRecord(widget)) return [];
    const config = isRecord(widget['config']) ? widget['config'] : {};
    const { panel, reason } = panelOf(String(widget['type']), config, widget);
    return [
      {
        title: lineOf(widget['title'], 'Untitled'),
        description: textOf(widget['description'], BOARD_LIMITS.description),
        panel,
        reason,
        place: {
          x: numberOf(item['x'], 0) * SCALE,
          y: numberOf(item['y'], 0) * 2,
          w: numberOf(item['w'], 1) * SCALE,
          h: numberOf(item['h'], 1) * 2,
        },
      },
    ];
  });
  const head = {
    title: lineOf(document['title'], 'Imported board'),
    description: textOf(document['description'], BOARD_LIMITS.description),
    tags: tagsOf(document['tags']),
  };
  return boardOf(head, found, 'layout');
}

function panelOf(
  type: string,
  config: Document,
  widget: Document,
): { panel: PanelInput | undefined; reason: string } {
  if (type === 'MARKDOWN') {
    const text = textOf(config['content'], 20_000);
    return { panel: { query: { kind: 'markdown', text }, visual: { type: 'markdown' } }, reason: '' };
  }
  const drawn = TYPES[type];
  if (drawn === undefined)
    return { panel: undefined, reason: `The type ${lineOf(type, '?', 40)} is not known.` };
  const query = config['query'];
  if (typeof query !== 'string' || query.trim() === '')
    return { panel: undefined, reason: 'It has no query.' };
  return sqlPanel(query, drawn, isRecord(widget['properties']) ? widget['properties'] : {});
}
