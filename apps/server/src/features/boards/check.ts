import {
  type BoardInput,
  filledNames,
  LOG_MEASURES,
  type PanelQuery,
  type RecordKind,
  requireField,
} from '@candela/contract';
import { CandelaError, fail } from '@candela/kernel';
import { filterOf } from '../telemetry/service.ts';

type Variables = BoardInput['variables'];

/**
 * Reads what a widget asks as its route would, without asking the store: a filter that is none would fail at every look at
 * the board. @throws bad_query, refused
 */
function ask(query: PanelQuery, variables: Variables): void {
  const grouped = (fields: readonly string[], signal: RecordKind) => {
    for (const field of fields) requireField(field, signal);
  };
  switch (query.kind) {
    case 'aggregate': {
      const { signal, groupBy, measures } = query.body;
      filterOf(query.body, signal);
      grouped(groupBy, signal);
      const known: readonly string[] = LOG_MEASURES;
      const unknown = signal === 'logs' ? measures.find((measure) => !known.includes(measure)) : undefined;
      if (unknown !== undefined)
        throw fail('bad_query', {
          detail: `"${unknown}" cannot be measured of logs. There are: ${known.join(', ')}.`,
        });
      return;
    }
    case 'metric':
      filterOf(query.body, 'metrics');
      grouped(query.body.groupBy, 'metrics');
      return;
    case 'durations':
      filterOf(query.body, 'spans');
      return;
    case 'sql': {
      const known = new Set(['timeLimit.start', 'timeLimit.end', ...variables.map(({ name }) => name)]);
      const unknown = filledNames(query.query).find((name) => !known.has(name));
      if (unknown !== undefined)
        throw fail('refused', { detail: `The board has no variable "${unknown.slice(0, 80)}".` });
      return;
    }
    default:
  }
}

function sentenceOf(reading: () => unknown): string | undefined {
  try {
    reading();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CandelaError) return thrown.message;
    throw thrown;
  }
}

/** Why a widget could never be shown, as far as its text tells. Whether a statement runs, the store says when it is asked. */
export const troubleOf = (query: PanelQuery, variables: Variables): string | undefined =>
  sentenceOf(() => ask(query, variables));

/** @throws refused with the widget, or the variable, that could never work */
export function checkBoard({ widgets, variables }: Pick<BoardInput, 'widgets' | 'variables'>): void {
  for (const { label, field } of variables) {
    const trouble = field === undefined ? undefined : sentenceOf(() => requireField(field));
    if (trouble !== undefined) throw fail('refused', { detail: `The variable "${label}": ${trouble}` });
  }
  for (const { title, query } of widgets) {
    const trouble = troubleOf(query, variables);
    if (trouble !== undefined) throw fail('refused', { detail: `The widget "${title}": ${trouble}` });
  }
}
