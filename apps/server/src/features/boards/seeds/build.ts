import {
  type BoardDraft,
  boardInputSchema,
  type BoardInput,
  compacted,
  type PanelInput,
  type EventKind,
} from '@candela/contract';

type Measure = NonNullable<Extract<PanelInput['query'], { kind: 'aggregate' }>['body']['measures']>[number];
type Drawn = Partial<PanelInput['visual']>;

/** A widget of a seeded board: its panel and its size; places follow from the order. */
interface SeedWidget {
  readonly title: string;
  readonly panel: PanelInput;
  readonly w: number;
  readonly h: number;
}

interface Asked {
  readonly q?: string;
  readonly signal?: EventKind;
  readonly by?: readonly string[];
}

const body = (measures: readonly Measure[], { q, signal, by = [] }: Asked) => ({
  measures: [...measures],
  groupBy: [...by],
  ...(q === undefined ? {} : { q }),
  ...(signal === undefined ? {} : { signal }),
});

/** One figure with its change against the period before. */
export const stat = (title: string, measure: Measure, asked: Asked = {}, visual: Drawn = {}): SeedWidget => ({
  title,
  w: 2,
  h: 2,
  panel: {
    query: { kind: 'aggregate', body: { ...body([measure], asked), limit: 1 } },
    visual: { type: 'stat', compare: true, ...visual },
  },
});

/** Figures over time, a series a group or a measure. */
export const overTime = (
  title: string,
  measures: readonly Measure[],
  asked: Asked = {},
  visual: Drawn = {},
): SeedWidget => ({
  title,
  w: 6,
  h: 4,
  panel: {
    query: { kind: 'aggregate', body: { ...body(measures, asked), bucketSeconds: 'auto', limit: 8 } },
    visual: { type: 'line', legend: true, ...visual },
  },
});

/** The largest groups of a field. */
export const ranked = (
  title: string,
  measures: readonly Measure[],
  by: readonly string[],
  asked: Asked = {},
  visual: Drawn = {},
  w = 4,
): SeedWidget => ({
  title,
  w,
  h: 4,
  panel: {
    query: { kind: 'aggregate', body: { ...body(measures, { ...asked, by }), limit: 10 } },
    visual: { type: 'bar', ...visual },
  },
});

type Scores = Extract<PanelInput['query'], { kind: 'scores' }>['body'];
type Usage = Extract<PanelInput['query'], { kind: 'usage' }>['body'];

/** Scores of evaluators, applications and people, grouped or over time. */
export const scores = (title: string, body: Scores, visual: PanelInput['visual'], w = 6): SeedWidget => ({
  title,
  w,
  h: visual.type === 'stat' ? 2 : 4,
  panel: { query: { kind: 'scores', body }, visual },
});

/** What the platform itself asks of models. */
export const usage = (title: string, body: Usage, visual: PanelInput['visual'], w = 6): SeedWidget => ({
  title,
  w,
  h: 4,
  panel: { query: { kind: 'usage', body }, visual },
});

/** A metric over time, a line a label. */
export const metric = (
  title: string,
  name: string,
  by: readonly string[] = [],
  visual: Drawn = {},
): SeedWidget => ({
  title,
  w: 6,
  h: 4,
  panel: {
    query: { kind: 'metric', body: { metric: name, groupBy: [...by], limit: 12 } },
    visual: { type: 'line', legend: true, ...visual },
  },
});

/** How long spans took, as a heat map. */
export const durations = (title: string, q: string): SeedWidget => ({
  title,
  w: 6,
  h: 4,
  panel: { query: { kind: 'durations', body: { q } }, visual: { type: 'heatmap', unit: 'ms' } },
});

const COLUMNS = 12;

/** A board of widgets that flow from left to right. @throws ZodError when it is none */
export function board(head: Omit<BoardDraft, 'widgets'>, widgets: readonly SeedWidget[]): BoardInput {
  let [x, y, tallest] = [0, 0, 0];
  const places = widgets.map(({ w, h }, index) => {
    if (x + w > COLUMNS) [x, y, tallest] = [0, y + tallest, 0];
    const place = { id: `w${index + 1}`, x, y, w, h };
    x += w;
    tallest = Math.max(tallest, h);
    return place;
  });
  const settled = new Map(compacted(places).map(({ id, ...place }) => [id, place]));
  return boardInputSchema.parse({
    ...head,
    widgets: widgets.map(({ title, panel }, index) => ({
      id: `w${index + 1}`,
      title,
      ...panel,
      place: settled.get(`w${index + 1}`),
    })),
  });
}

/** Variables that narrow spans. */
export const SERVICE = {
  name: 'service',
  label: 'Service',
  kind: 'field',
  field: 'service',
  multi: true,
} as const;
export const MODEL = { name: 'model', label: 'Model', kind: 'field', field: 'model', multi: true } as const;
export const USER = { name: 'user', label: 'User', kind: 'field', field: 'user', multi: true } as const;
export const AGENT = { name: 'agent', label: 'Agent', kind: 'field', field: 'agent', multi: true } as const;
