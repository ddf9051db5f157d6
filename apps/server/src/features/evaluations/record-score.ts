import type { SpanDetail } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Ingest } from '../../ingest/index.ts';

/** One score to be recorded. Absent: not said. `timeMs` is epoch milliseconds. */
export interface NewScore {
  /** Of the score: a later one with the same id replaces it. */
  readonly id: string;
  readonly timeMs: number;
  readonly name: string;
  readonly source: 'judge' | 'code' | 'human' | 'user' | 'api';
  readonly value?: number | null | undefined;
  readonly label?: string | null | undefined;
  readonly explanation?: string | null | undefined;
  readonly verdict?: 'pass' | 'fail' | null | undefined;
  readonly errorType?: string | undefined;
  readonly traceId?: string | null | undefined;
  readonly spanId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly userId?: string | null | undefined;
  readonly service?: string | null | undefined;
  readonly agent?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly promptName?: string | null | undefined;
  readonly promptVersion?: string | null | undefined;
  readonly evaluator?: string | undefined;
  readonly version?: string | undefined;
  readonly threshold?: number | undefined;
  readonly judgeModel?: string | undefined;
  readonly runId?: string | undefined;
  readonly item?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly costUsd?: number | null | undefined;
  /** Rules whose contexts the judge was given, and these contexts. */
  readonly ruleIds?: readonly string[] | undefined;
  readonly contextIds?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What a score takes over from the span that it is about, so that scores are grouped without reading spans. */
export const whatIsScored = (span: SpanDetail) => ({
  sessionId: span.sessionId,
  userId: span.userId,
  service: span.service,
  agent: span.agent,
  model: span.responseModel ?? span.requestModel,
  promptName: span.promptName,
  promptVersion: span.promptVersion,
});

const toOtlp = (value: string | number) =>
  typeof value === 'string' ? { stringValue: value } : { doubleValue: value };

const listOf = (ids: readonly string[] | undefined) => (ids?.length ? ids.join(',') : undefined);

/** A score as a log record of the semantic conventions, in OTLP/JSON. */
function recordOf(score: NewScore): object {
  const attributes: Record<string, string | number | null | undefined> = {
    'gen_ai.evaluation.name': score.name,
    'gen_ai.evaluation.score.value': score.value,
    'gen_ai.evaluation.score.label': score.label,
    'gen_ai.evaluation.explanation': score.explanation,
    'error.type': score.errorType,
    'session.id': score.sessionId,
    'user.id': score.userId,
    'platform.evaluation.id': score.id,
    'platform.evaluation.source': score.source,
    'platform.evaluation.evaluator': score.evaluator,
    'platform.evaluation.version': score.version,
    'platform.evaluation.verdict': score.verdict,
    'platform.evaluation.threshold': score.threshold,
    'platform.evaluation.judge_model': score.judgeModel,
    'platform.evaluation.run_id': score.runId,
    'platform.evaluation.cost_usd': score.costUsd,
    'platform.evaluation.dataset_item': score.item,
    'platform.evaluation.reviewer': score.reviewer,
    'platform.evaluation.agent': score.agent,
    'platform.evaluation.model': score.model,
    'platform.evaluation.prompt_name': score.promptName,
    'platform.evaluation.prompt_version': score.promptVersion,
    'platform.evaluation.rules': listOf(score.ruleIds),
    'platform.evaluation.contexts': listOf(score.contextIds),
  };
  for (const [key, value] of Object.entries(score.metadata ?? {})) attributes[`user.${key}`] = value;
  const time = `${BigInt(Math.round(score.timeMs)) * 1_000_000n}`;
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    eventName: 'gen_ai.evaluation.result',
    severityNumber: 9,
    ...(score.traceId ? { traceId: score.traceId } : {}),
    ...(score.spanId ? { spanId: score.spanId } : {}),
    attributes: Object.entries(attributes).flatMap(([key, value]) =>
      value === null || value === undefined ? [] : [{ key, value: toOtlp(value) }],
    ),
  };
}

/** Records scores through the receiver that all telemetry takes; resolves once they are durable. */
export async function recordScores(
  ingest: Pick<Ingest, 'submit'>,
  context: RequestContext,
  environment: string,
  scores: readonly NewScore[],
): Promise<void> {
  const byService = Map.groupBy(scores, ({ service }) => service ?? '');
  if (scores.length === 0) return;
  await ingest.submit({ ...context, environment }, 'logs', {
    resourceLogs: [...byService].map(([service, own]) => ({
      resource: {
        attributes: [
          ...(service === '' ? [] : [{ key: 'service.name', value: { stringValue: service } }]),
          { key: 'deployment.environment.name', value: { stringValue: environment } },
        ],
      },
      scopeLogs: [{ scope: { name: 'candela.evaluations' }, logRecords: own.map(recordOf) }],
    })),
  });
}
