import type { AnalysisRun, PromptSuggestion, RequestBodyOf, ROUTES } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { eventReader } from '../lib/event-stream.ts';
import { brokenOff } from './broken-off.ts';
import { ApiError, call, openStream } from './client.ts';

export type AnalysisScope = 'trace' | 'span';
type Environment = string | undefined;

export const ANALYSIS_KEYS = ['analysis'] as const;

export const analysesQuery = (environment: Environment, spanId: string, scope: AnalysisScope) =>
  queryOptions({
    queryKey: [...ANALYSIS_KEYS, environment, spanId, scope],
    queryFn: ({ signal }): Promise<readonly AnalysisRun[]> =>
      call('getAnalysis', { environment, signal, params: { spanId }, query: { scope } }).then(
        ({ data }) => data.runs,
      ),
  });

/** Runs a review and tells its steps. @throws ApiError when it is refused or breaks off */
export async function runAnalysis(
  environment: Environment,
  { spanId, scope }: { readonly spanId: string; readonly scope: AnalysisScope },
  onStep: (label: string) => void,
  signal: AbortSignal,
): Promise<AnalysisRun> {
  const { body } = await openStream('runAnalysis', {
    params: { spanId },
    query: { scope },
    environment,
    signal,
    headers: { accept: 'text/event-stream' },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = eventReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      for (const { event, data } of read(decoder.decode(step.value, { stream: true }))) {
        if (event === 'failure') throw brokenOff(data);
        if (event === 'step') onStep((JSON.parse(data) as { label: string }).label);
        if (event === 'done') return JSON.parse(data) as AnalysisRun;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  throw new ApiError('The review broke off before its end. Try again.', 0, 'unreachable', '');
}

export const improvePromptIn =
  (environment: Environment, promptId: string) =>
  (
    said: Pick<RequestBodyOf<(typeof ROUTES)['improvePrompt']>, 'prompt' | 'messages'>,
  ): Promise<{ readonly suggestions: readonly PromptSuggestion[]; readonly dropped: number }> =>
    call('improvePrompt', { environment, body: { ...said, promptId } }).then(({ data }) => data);
