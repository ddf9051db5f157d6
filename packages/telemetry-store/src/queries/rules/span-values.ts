import { fail, type RequestContext } from '@candela/kernel';
import type { Fields } from '@candela/rules';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { spanFields } from './rule-fields.ts';

/**
 * The fields of one span as a rule sees them, read by the same expressions as the preview: what the evaluator says of
 * them is what the preview says of the span. Absent ones are left out. @throws not_found
 */
export async function readRuleFields(
  runner: Runner,
  context: RequestContext,
  ids: { readonly traceId: string; readonly spanId: string },
  names: readonly string[],
): Promise<Fields> {
  const scope = Scope.of(context, SPANS);
  const { params } = scope;
  const resolve = spanFields(params);
  const own = scope.and(
    `TraceId = ${params.bind(ids.traceId.toLowerCase(), 'String')} AND SpanId = ${params.bind(ids.spanId.toLowerCase(), 'String')}`,
  );
  const values = names.map((name) => {
    const field = resolve(name);
    return field === undefined ? 'NULL' : `if(${field.present}, ${field.text}, NULL)`;
  });
  const [row] = await runner.run<{ V: (string | null)[] }>(
    own,
    `SELECT CAST([${values.join(', ')}], 'Array(Nullable(String))') AS V ${own.from} ORDER BY Timestamp, Duration DESC LIMIT 1`,
  );
  if (row === undefined) throw fail('not_found', { what: 'The span' });
  return new Map(
    names.flatMap((name, index): [string, string][] => {
      const value = row.V[index];
      return value === null || value === undefined ? [] : [[name, value]];
    }),
  );
}
