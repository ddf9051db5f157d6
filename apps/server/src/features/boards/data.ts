import type { Frame, Panel, PanelQuery } from '@candela/contract';
import { asCandelaError, type RequestContext } from '@candela/kernel';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { type PanelScope, type PanelSources, runPanel } from './kinds.ts';

type Measure = Extract<PanelQuery, { kind: 'aggregate' }>['body']['measures'][number];

/** A widget as it is asked: its id and its panel. */
interface AskedWidget extends Panel {
  readonly id: string;
}

/** Measures that no rollup holds: all of them take one pass over the rows. */
const OF_ROWS = /^(?:traces|sessions|users|duration_|ttft_)/;

interface Question {
  /** Panels with the same key are asked as one. */
  readonly key: string;
  /** What such a panel measures, where they differ in nothing else. */
  readonly measures: readonly Measure[];
}

/** What of a panel decides its answer. Figures without groups are asked together, those of rollups and those of rows apart. */
function questionOf({ query, visual }: Panel): Question {
  const how = [visual.compare === true, visual.type === 'heatmap'];
  if (query.kind === 'aggregate') {
    const { measures, groupBy, bucketSeconds, ...rest } = query.body;
    const ofRows = measures.map((measure) => OF_ROWS.test(measure));
    if (groupBy.length === 0 && bucketSeconds === undefined && new Set(ofRows).size === 1)
      return { key: JSON.stringify([rest, ofRows[0], how]), measures };
  }
  return { key: JSON.stringify([query, how]), measures: [] };
}

/** One panel for those that share a question: the first, with all that they measure. @throws Error without any */
function together(sharing: readonly Panel[]): Panel {
  const [first] = sharing;
  if (first === undefined) throw new Error('no panel');
  const { query, visual } = first;
  const measures = [...new Set(sharing.flatMap((panel) => questionOf(panel).measures))];
  if (query.kind !== 'aggregate' || measures.length === 0) return { query, visual };
  return { visual, query: { ...query, body: { ...query.body, measures } } };
}

/** Of a frame what one panel measures, in its order. */
function ofOne(frame: Frame, measures: readonly Measure[]): Frame {
  if (measures.length === 0) return frame;
  const at = measures.flatMap((measure) =>
    frame.columns.flatMap(({ name }, index) =>
      name === measure || name === `${measure} before` ? [index] : [],
    ),
  );
  const picked = <T>(all: readonly T[]): T[] =>
    at.flatMap((index) => {
      const one = all[index];
      return one === undefined ? [] : [one];
    });
  return { ...frame, columns: picked(frame.columns), rows: frame.rows.map(picked) };
}

/** What a reader is told of a failure: the sentence, and its code. */
function told(thrown: unknown): { err: string; code: string } {
  const { code, message } = asCandelaError(thrown);
  return { err: code === 'internal' ? 'This widget could not be read.' : message, code };
}

/**
 * Answers of widgets, each when it is ready, `atOnce` at a time; those that one question answers are asked by one. What
 * fails fails for its widgets alone. Ends with `done`.
 */
export async function* widgetEvents(
  sources: PanelSources,
  asked: { readonly widgets: readonly AskedWidget[]; readonly scope: PanelScope; readonly atOnce: number },
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { widgets, scope, atOnce } = asked;
  const waiting = [...Map.groupBy(widgets, (widget) => questionOf(widget).key).values()];
  const running = new Map<readonly AskedWidget[], Promise<readonly ServerEvent[]>>();
  /** The events of widgets that one question answers. */
  const answersOf = async (sharing: readonly AskedWidget[]): Promise<readonly ServerEvent[]> => {
    const started = performance.now();
    try {
      const frame = await runPanel(sources, { ...together(sharing), scope }, context, signal);
      const elapsedMs = Math.round(performance.now() - started);
      return sharing.map((widget) => ({
        event: 'widget',
        data: { id: widget.id, frame: ofOne(frame, questionOf(widget).measures), elapsedMs },
      }));
    } catch (thrown) {
      return sharing.map(({ id }) => ({ event: 'failed', data: { id, ...told(thrown) } }));
    }
  };
  const start = () => {
    const sharing = waiting.shift();
    if (sharing !== undefined) running.set(sharing, answersOf(sharing));
  };
  for (let slot = 0; slot < atOnce; slot += 1) start();
  while (running.size > 0) {
    const [sharing, events] = await Promise.race(
      Array.from(running, async ([key, made]) => [key, await made] as const),
    );
    running.delete(sharing);
    // Whoever left needs no more.
    if (signal.aborted) return;
    start();
    yield* events;
  }
  yield { event: 'done', data: { count: widgets.length } };
}
