import { BOARD_LIMITS, type PanelInput } from '@candela/contract';
import { isRecord, partOf, visualOf } from './grafana-looks.ts';
import { GrafanaVariables, variableName } from './grafana-variables.ts';
import type { Document, Imported } from './index.ts';
import { queryOfLogql } from './logql.ts';
import { Unsaid } from './matchers.ts';
import { boardOf, type Found, lineOf, numberOf, textOf } from './parts.ts';
import { heatmapOfPromql, queryOfPromql, type Said } from './promql.ts';
import { sqlPanel } from './sql.ts';

/** Grafana's grid has 24 columns, and rows of 30 pixels where ours have about twice as many. */
const HALF = 2;
/** Targets of one panel that are read. */
const MOST_TARGETS = 12;

/**
 * A classic Grafana dashboard: rows are opened; texts, statements of ClickHouse, and targets of PromQL and LogQL that can
 * be said as our queries are taken; the rest says why not. A panel of several targets becomes a widget each.
 */
export function fromGrafana(dashboard: Document): Imported {
  const variables = new GrafanaVariables(dashboard);
  const panels = panelsOf(dashboard);
  let room = BOARD_LIMITS.widgets - panels.length;
  const found = panels.flatMap((panel): Found[] => {
    const all = widgetsOf(panel, variables);
    const kept = all.slice(0, 1 + Math.max(0, room));
    room -= kept.length - 1;
    const [first] = kept;
    if (first === undefined || kept.length === all.length) return kept;
    const left = `${all.length - kept.length} more of its queries have no room.`;
    return [{ ...first, reason: [first.reason, left].filter(Boolean).join(' ') }, ...kept.slice(1)];
  });
  const tags = Array.isArray(dashboard['tags']) ? dashboard['tags'] : [];
  const head = {
    title: lineOf(dashboard['title'], 'Imported dashboard'),
    description: textOf(dashboard['description'], BOARD_LIMITS.description),
    tags: tags.flatMap((tag) =>
      typeof tag === 'string' && tag.trim() !== '' ? [lineOf(tag, 'tag', 40)] : [],
    ),
    variables: variables.variables(),
  };
  return boardOf(head, found, 'grafana');
}

/** All panels, those of closed rows and of rows of old too. */
function panelsOf(dashboard: Document): Document[] {
  const opened = (panels: unknown): Document[] =>
    (Array.isArray(panels) ? (panels as unknown[]) : []).flatMap((panel): Document[] => {
      if (!isRecord(panel)) return [];
      return panel['type'] === 'row' ? opened(panel['panels']) : [panel];
    });
  const rows = Array.isArray(dashboard['rows']) ? (dashboard['rows'] as unknown[]) : [];
  let y = 0;
  const old = rows.flatMap((row) => {
    let x = 0;
    const placed = opened(partOf(row, 'panels')).map((panel) => {
      const w = Math.min(12, Math.max(1, numberOf(panel['span'], 12))) * HALF;
      if (x + w > 24) [x, y] = [0, y + 8];
      const at = { x, y, w, h: 8 };
      x += w;
      return { ...panel, gridPos: at };
    });
    y += 8;
    return placed;
  });
  return [...opened(dashboard['panels']), ...old];
}

/** The widgets of a panel: one a target, or one that says why there is none. */
function widgetsOf(panel: Document, variables: GrafanaVariables): Found[] {
  const at = isRecord(panel['gridPos']) ? panel['gridPos'] : {};
  const head = {
    title: lineOf(panel['title'], 'Untitled'),
    description: textOf(panel['description'], BOARD_LIMITS.description),
    place: {
      x: Math.floor(numberOf(at['x'], 0) / HALF),
      y: Math.floor(numberOf(at['y'], 0) / HALF),
      w: Math.max(1, Math.round(numberOf(at['w'], 12) / HALF)),
      h: Math.max(1, Math.round(numberOf(at['h'], 8) / HALF)),
    },
  };
  const none = (reason: string): Found[] => [{ ...head, panel: undefined, reason }];
  const type = String(panel['type']);
  if (type === 'text') {
    const options = isRecord(panel['options']) ? panel['options'] : panel;
    if (options['mode'] === 'html') return none('Its text is HTML.');
    const text = textOf(options['content'], 20_000);
    const query = { kind: 'markdown' as const, text };
    return [{ ...head, panel: { query, visual: { type: 'markdown' } }, reason: '' }];
  }
  const visual = visualOf(panel);
  if (visual === undefined) return none(`The panel type ${lineOf(type, '?', 40)} has no match.`);
  const targets = (Array.isArray(panel['targets']) ? (panel['targets'] as unknown[]) : [])
    .filter(isRecord)
    .filter(({ hide }) => hide !== true);
  if (targets.length === 0) return none('It has no query.');
  const read = targets.slice(0, MOST_TARGETS).map((target) => {
    const made = targetOf(target, panel, visual, variables);
    return {
      ...made,
      legend: lineOf(target['legendFormat'], '', 60)
        .replaceAll(/\{\{.*?\}\}/g, '')
        .trim(),
    };
  });
  const taken = read.filter((one) => one.panel !== undefined);
  const missed = read.filter((one) => one.panel === undefined).map(({ reason }) => reason);
  if (taken.length === 0) return none([...new Set(missed)].join(' '));
  const left = missed.length === 0 ? '' : `Left out: ${missed.join(' ')}`;
  return taken.map(({ panel: made, reason, legend }, index) => ({
    ...head,
    title: taken.length === 1 ? head.title : lineOf(`${head.title} · ${legend || index + 1}`, head.title),
    panel: made,
    reason: [reason, index === 0 ? left : ''].filter(Boolean).join(' '),
  }));
}

function targetOf(
  target: Document,
  panel: Document,
  visual: PanelInput['visual'],
  variables: GrafanaVariables,
): Pick<Found, 'panel' | 'reason'> {
  const source = String(partOf(target, 'datasource', 'type') ?? partOf(panel, 'datasource', 'type') ?? '');
  const sql = target['rawSql'] ?? target['query'];
  const { expr } = target;
  if (
    typeof sql === 'string' &&
    /^\s*(?:select|with)\b/iu.test(sql) &&
    /clickhouse|^(?:undefined)?$/.test(source)
  )
    return sqlPanel(
      withVariables(sql, variables),
      visual.type,
      {},
      visual,
      new Set(Array.from(variables.names.keys(), variableName)),
    );
  if (typeof expr !== 'string' || expr.trim() === '')
    return {
      panel: undefined,
      reason: `Its data source ${lineOf(source, '', 60)} has no match.`.replace('  ', ' '),
    };
  const legend = Array.from(
    String(target['legendFormat'] ?? '').matchAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g),
    ([, label = '']) => label,
  ).slice(0, 3);
  try {
    const said = saidOf(expr, {
      isLogs: source === 'loki' || /\(\s*\{|^\s*\{/.test(expr),
      visual,
      legend,
      variables,
    });
    const drawn = said.unit === undefined ? visual : { ...visual, unit: said.unit };
    return { panel: { query: said.query, visual: drawn }, reason: said.note ?? '' };
  } catch (thrown) {
    if (!(thrown instanceof Unsaid)) throw thrown;
    return { panel: undefined, reason: `${lineOf(expr, '', 200)}: ${thrown.message}.` };
  }
}

function saidOf(
  expr: string,
  of: {
    readonly isLogs: boolean;
    readonly visual: PanelInput['visual'];
    readonly legend: readonly string[];
    readonly variables: GrafanaVariables;
  },
): Said<PanelInput['query']> {
  const { isLogs, visual, legend, variables } = of;
  if (!isLogs) {
    if (visual.type === 'heatmap') return heatmapOfPromql(expr, variables.ofMetrics);
    return queryOfPromql(expr, legend, variables.ofMetrics);
  }
  if (visual.type === 'heatmap') throw new Unsaid('a heat map of log records has no match');
  const said = queryOfLogql(expr, legend, variables.ofLogs);
  if (visual.type !== 'line' && visual.type !== 'area' && visual.type !== 'bar') {
    // One figure, not one a bucket.
    const { bucketSeconds: _buckets, ...body } = said.query.body;
    return { ...said, query: { kind: 'aggregate', body } };
  }
  return said;
}

/** A statement whose variables are ours. A list in brackets is a tuple already. */
function withVariables(sql: string, variables: GrafanaVariables): string {
  let text = sql;
  for (const [name, isMulti] of variables.names) {
    const named = String.raw`(?:\$${name}\b|\$\{${name}(?::\w+)?\}|\[\[${name}\]\])`;
    const ours = `{{filter.${variableName(name)}}}`;
    if (isMulti) text = text.replaceAll(new RegExp(String.raw`\(\s*${named}\s*\)`, 'g'), () => ours);
    text = text.replaceAll(new RegExp(named, 'g'), () => ours);
  }
  return text;
}
