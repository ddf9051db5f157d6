import { filledNames, type PanelInput, SQL_BOUNDS } from '@candela/contract';

/** Macros of time ranges: a statement holds its range by itself here. */
const TIME_FILTERS = /\$__(?:timeFilter|dateTimeFilter|timeFilter_ms|dateFilter)\([^()]*\)/g;
const COLUMN = /\$__timeInterval\(([^()]*)\)/g;

const textsOf = (value: unknown): string[] => {
  const texts = Array.isArray(value) ? value : [value];
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
};

/** A panel of a statement of another product. Whether it may be run is found out when it is shown. */
export function sqlPanel(
  sql: string,
  type: PanelInput['visual']['type'],
  properties: Readonly<Record<string, unknown>>,
  looks: Partial<PanelInput['visual']> = {},
  /** Variables that the board has. */
  variables: ReadonlySet<string> = new Set(),
): { panel: PanelInput | undefined; reason: string } {
  const query = sql
    .replaceAll(TIME_FILTERS, '1')
    .replaceAll(COLUMN, 'toStartOfInterval($1, INTERVAL 5 MINUTE)')
    .replaceAll('$__fromTime', () => "parseDateTimeBestEffort('{{filter.timeLimit.start}}')")
    .replaceAll('$__toTime', () => "parseDateTimeBestEffort('{{filter.timeLimit.end}}')")
    .replaceAll('$__interval_s', '300')
    .trim();
  if (query.length > SQL_BOUNDS.query)
    return { panel: undefined, reason: `Its statement has more than ${SQL_BOUNDS.query} characters.` };
  if (/\$[{_a-z]|\{\{(?!\{?\s*filter\.)/iu.test(query))
    return { panel: undefined, reason: 'Its statement has placeholders that dashboards do not fill in.' };
  const unknown = filledNames(query).find((name) => !variables.has(name) && !name.startsWith('timeLimit.'));
  if (unknown !== undefined)
    return {
      panel: undefined,
      reason: `Its statement needs ${unknown.slice(0, 60)}, which is not known here.`,
    };
  const [x] = textsOf(properties['xAxis']);
  const y = textsOf(properties['yAxis']).slice(0, 20);
  const visual = {
    ...looks,
    type,
    ...(x === undefined || x.length > 300 ? {} : { x }),
    ...(y.length === 0 || y.some((name) => name.length > 300) ? {} : { y }),
  };
  return { panel: { query: { kind: 'sql', query }, visual }, reason: '' };
}
