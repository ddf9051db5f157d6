import type { Frame, Panel } from '@candela/contract';
import { asCandelaError, type RequestContext } from '@candela/kernel';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { type PanelScope, type PanelSources, runPanel } from './kinds.ts';

/** A widget as it is asked: its id and its panel. */
interface AskedWidget extends Panel {
  readonly id: string;
}

/** What of a panel decides its answer: of two that share it one is asked. */
const questionOf = ({ query, visual }: Panel): string =>
  JSON.stringify([query, visual.compare === true, visual.type === 'heatmap']);

/** What a reader is told of a failure: the sentence, and its code. */
function told(thrown: unknown): { err: string; code: string } {
  const { code, message } = asCandelaError(thrown);
  return { err: code === 'internal' ? 'This widget could not be read.' : message, code };
}

/**
 * Answers of widgets, each when it is ready, `atOnce` at a time; equal questions are asked once. One that fails fails
 * alone. Ends with `done`.
 */
export async function* widgetEvents(
  sources: PanelSources,
  asked: { readonly widgets: readonly AskedWidget[]; readonly scope: PanelScope; readonly atOnce: number },
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { widgets, scope, atOnce } = asked;
  const answers = new Map<string, Promise<{ frame: Frame; elapsedMs: number }>>();
  const answerOf = (widget: AskedWidget) => {
    const question = questionOf(widget);
    const known = answers.get(question);
    if (known !== undefined) return known;
    const started = performance.now();
    const made = runPanel(
      sources,
      { query: widget.query, visual: widget.visual, scope },
      context,
      signal,
    ).then((frame) => ({ frame, elapsedMs: Math.round(performance.now() - started) }));
    answers.set(question, made);
    return made;
  };
  const waiting = [...widgets];
  const running = new Map<string, Promise<ServerEvent>>();
  const start = () => {
    const widget = waiting.shift();
    if (widget === undefined) return;
    const { id } = widget;
    running.set(
      id,
      answerOf(widget).then(
        ({ frame, elapsedMs }) => ({ event: 'widget', data: { id, frame, elapsedMs } }),
        (thrown: unknown) => ({ event: 'failed', data: { id, ...told(thrown) } }),
      ),
    );
  };
  for (let slot = 0; slot < atOnce; slot += 1) start();
  while (running.size > 0) {
    const [id, event] = await Promise.race(
      Array.from(running, async ([key, made]) => [key, await made] as const),
    );
    running.delete(id);
    // Whoever left needs no more.
    if (signal.aborted) return;
    start();
    yield event;
  }
  yield { event: 'done', data: { count: widgets.length } };
}
