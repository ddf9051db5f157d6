import type { BoardVariable, Panel } from '@candela/contract';
import { type FillValues, fillStatement, isOfMetrics } from '@candela/contract/fill';
import type { Scope } from '../../api/telemetry.ts';
import { join, quoted } from '../../lib/query-text.ts';

interface Chosen {
  readonly variables: readonly BoardVariable[];
  readonly chosen: FillValues['chosen'];
}

/** The chosen values of variables with a field as texts of the search, and what is left out while none is chosen. */
function narrowingOf({ variables, chosen }: Chosen): { field: string; text: string }[] {
  return variables.flatMap(({ name, field, initial, without = [] }) => {
    const given = Object.hasOwn(chosen, name) ? (chosen[name] ?? []) : initial;
    const values = (given.length > 0 ? given : without).map(quoted);
    if (field === undefined || values.length === 0) return [];
    const list = values.length === 1 ? values[0] : `(${values.join(' or ')})`;
    return [{ field, text: `${given.length > 0 ? '' : '-'}${field}:${list}` }];
  });
}

/**
 * A panel as its board asks it: narrowed to the chosen values, its statement with them in it. A statement that lacks a value
 * stays as it is; scores and the calls of Candela have no text of a search.
 */
export function narrowedPanel(panel: Panel, of: Chosen & { readonly scope: Scope }): Panel {
  const { query } = panel;
  const searched = (before = '', says = (_field: string) => true): { q?: string } => {
    const narrowing = narrowingOf(of).filter(({ field }) => says(field));
    const q = narrowing.reduce((text, one) => join(text, one.text), before);
    return q === '' ? {} : { q };
  };
  switch (query.kind) {
    case 'aggregate':
      return { ...panel, query: { ...query, body: { ...query.body, ...searched(query.body.q) } } };
    case 'durations':
      return { ...panel, query: { ...query, body: { ...query.body, ...searched(query.body.q) } } };
    case 'metric':
      return {
        ...panel,
        query: { ...query, body: { ...query.body, ...searched(query.body.q, isOfMetrics) } },
      };
    case 'sql': {
      const { fromMs, toMs } = of.scope.window;
      try {
        return {
          ...panel,
          query: { kind: 'sql', query: fillStatement(query.query, { ...of, from: fromMs, to: toMs }) },
        };
      } catch {
        return panel;
      }
    }
    default:
      return panel;
  }
}
