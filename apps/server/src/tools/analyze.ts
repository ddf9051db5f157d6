import { z } from 'zod';
import { defineTool } from './tool.ts';

export const analyze = defineTool({
  id: 'analyze',
  title: 'Analyse a trace or a span',
  about:
    'Reviews the trace of a span, or the span: facts (cost, duplicates, retries, critical path), then one call of a model. It costs money: only when asked for.',
  input: z.object({
    spanId: z.string().max(16),
    scope: z.enum(['trace', 'span']).default('trace'),
  }),
  routes: ['runAnalysis'],
  effect: 'create',
  taints: true,
  audience: ['assistant'],
  card: ({ spanId, scope }) => ({
    title: scope === 'span' ? `Analyse the span ${spanId}` : `Analyse the trace of the span ${spanId}`,
  }),
  async run(call, { spanId, scope }) {
    const run = (await call('runAnalysis', { params: { spanId }, query: { scope } })) as {
      readonly summary: string;
      readonly worstSeverity: string | null;
      readonly facts: unknown;
      readonly dimensions: readonly { readonly findings: readonly unknown[] }[];
    };
    const { summary, worstSeverity, facts, dimensions } = run;
    return {
      data: {
        summary,
        worstSeverity,
        facts,
        dimensions: dimensions.filter(({ findings }) => findings.length > 0),
      },
      note: 'The review is saved with the trace.',
    };
  },
});
