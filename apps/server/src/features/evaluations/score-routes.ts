import type { ScoreView } from '@candela/contract';
import { asCandelaError, type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { ScoreFigures, ScoreQueries, ScoreRow, TelemetryQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import type { Ingest } from '../../ingest/index.ts';
import { windowOf } from '../telemetry/service.ts';
import { judgeScope } from './evaluators.ts';
import { recordScores, whatIsScored } from './record-score.ts';
import { ENOUGH, kappa, wilson } from './statistics.ts';
import { BUILT_IN } from './types.ts';

const SOURCES = ['judge', 'code', 'human', 'user', 'api', 'otel'] as const;
const orNull = (text: string): string | null => (text === '' ? null : text);
const NS_PER_MS = 1_000_000n;
/** Points of a series. */
const POINTS = 60;

const viewOf = (row: ScoreRow): ScoreView => ({
  id: row.id,
  time: new Date(Number(BigInt(row.timestampNs) / NS_PER_MS)).toISOString(),
  environment: row.environment,
  name: row.name,
  source: SOURCES.find((source) => source === row.source) ?? 'otel',
  value: row.value,
  label: orNull(row.label),
  verdict: row.verdict === 'pass' || row.verdict === 'fail' ? row.verdict : null,
  explanation: orNull(row.explanation),
  errorType: orNull(row.errorType),
  traceId: orNull(row.traceId),
  spanId: orNull(row.spanId),
  sessionId: orNull(row.sessionId),
  userId: orNull(row.userId),
  service: orNull(row.service),
  agent: orNull(row.agent),
  model: orNull(row.model),
  promptName: orNull(row.promptName),
  promptVersion: orNull(row.promptVersion),
  evaluator: orNull(row.evaluator),
  version: orNull(row.version),
  judgeModel: orNull(row.judgeModel),
  runId: orNull(row.runId),
  item: orNull(row.item),
  reviewer: orNull(row.reviewer),
  costUsd: row.costUsd,
});

function figuresOf({ scores, passed, failed, errors, mean, costUsd }: ScoreFigures) {
  const judged = passed + failed;
  return {
    scores,
    passed,
    failed,
    errors,
    mean,
    costUsd,
    passRate: judged === 0 ? null : passed / judged,
    interval: wilson(passed, judged),
    enough: judged >= ENOUGH,
  };
}

const NO_SCORES: ScoreFigures = { scores: 0, passed: 0, failed: 0, errors: 0, mean: null, costUsd: 0 };

export interface ScoreParts {
  readonly scores: ScoreQueries;
  readonly queries: TelemetryQueries;
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly clock: Clock;
  readonly metadata: MetadataStore;
}

/** Whose session, service and model a scored span has; nothing where the span is not there (yet). */
async function factsOf(
  queries: TelemetryQueries,
  context: RequestContext,
  traceId?: string,
  spanId?: string,
) {
  if (traceId === undefined || spanId === undefined) return {};
  try {
    const span = await queries.span(context, { traceId, spanId });
    return whatIsScored(span);
  } catch (thrown) {
    if (asCandelaError(thrown).code === 'not_found') return {};
    throw thrown;
  }
}

/** Scores: read from every source, and sent by applications and people. */
export function scoreHandlers({
  scores,
  queries,
  ingest,
  clock,
  metadata: store,
}: ScoreParts): Pick<
  Handlers,
  'listScores' | 'addScore' | 'addFeedback' | 'scoreAnalytics' | 'scoreAgreement'
> {
  return {
    listScores: async ({ context, query, signal }) => {
      const { from, to, limit, cursor, ...selection } = query;
      const page = await scores.list(
        context,
        { window: windowOf({ from, to }, clock), selection, limit, cursor },
        signal,
      );
      return { data: page.data.map(viewOf), nextCursor: page.nextCursor };
    },

    addScore: async ({ context, body }) => {
      const { environment } = judgeScope(context);
      const { value, comment, metadata, sessionId, userId, ...rest } = body;
      const id = body.id ?? crypto.randomUUID();
      const facts = await factsOf(queries, { ...context, environment: undefined }, body.traceId, body.spanId);
      const { principal } = context;
      await recordScores(ingest, context, environment, [
        {
          ...facts,
          ...rest,
          id,
          timeMs: clock.now(),
          value: typeof value === 'boolean' ? Number(value) : value,
          explanation: comment,
          ...(sessionId === undefined ? {} : { sessionId }),
          ...(userId === undefined ? {} : { userId }),
          ...(principal.kind === 'user' && body.source === 'human'
            ? { reviewer: principal.name ?? principal.id }
            : {}),
          metadata,
        },
      ]);
      return { data: { id } };
    },

    addFeedback: async ({ context, body }) => {
      const scope = judgeScope(context);
      const { id = crypto.randomUUID(), value, comment, ...rest } = body;
      // Else whoever reads the page's source could speak for a judge.
      if (
        BUILT_IN.has(rest.name) ||
        (await store.judging.find(scope, 'evaluator', rest.name)) !== undefined
      ) {
        throw fail('refused', {
          detail: `"${rest.name}" is the name of an evaluator. Give feedback another name, such as thumbs.`,
        });
      }
      const facts = await factsOf(queries, { ...context, environment: undefined }, body.traceId, body.spanId);
      await recordScores(ingest, context, scope.environment, [
        {
          ...facts,
          ...rest,
          id: `feedback:${id}`,
          timeMs: clock.now(),
          source: 'user',
          value: typeof value === 'boolean' ? Number(value) : value,
          explanation: comment,
        },
      ]);
      return { data: { id } };
    },

    scoreAnalytics: async ({ context, query, signal }) => {
      const { from, to, by, ...selection } = query;
      const window = windowOf({ from, to }, clock);
      const span = Number((window.to - window.from) / NS_PER_MS);
      const stepMs = Math.max(60_000, Math.ceil(span / POINTS / 60_000) * 60_000);
      const [groups, series, [all]] = await Promise.all([
        scores.groups(context, { window, selection, by }, signal),
        scores.series(context, { window, selection, stepMs }, signal),
        // One step that is longer than any window.
        scores.series(context, { window, selection, stepMs: Number.MAX_SAFE_INTEGER }, signal),
      ]);
      return {
        data: {
          totals: figuresOf(all ?? NO_SCORES),
          groups: groups.map((group) => ({ key: group.key, ...figuresOf(group) })),
          series: series.map((point) => ({
            time: new Date(point.startMs).toISOString(),
            ...figuresOf(point),
          })),
          stepMs,
        },
      };
    },

    scoreAgreement: async ({ context, query, signal }) => {
      const pairs = await scores.agreement(
        context,
        { window: windowOf(query, clock), name: query.name },
        signal,
      );
      const of = (judge: string, human: string) =>
        pairs.find((one) => one.judge === judge && one.human === human)?.pairs ?? 0;
      const [bothPass, onlyHuman, onlyJudge, bothFail] = [
        of('pass', 'pass'),
        of('pass', 'fail'),
        of('fail', 'pass'),
        of('fail', 'fail'),
      ];
      const agreed = kappa([
        [bothPass, onlyHuman],
        [onlyJudge, bothFail],
      ]);
      const total = bothPass + bothFail + onlyHuman + onlyJudge;
      return {
        data: {
          pairs: total,
          kappa: agreed,
          calibrated: total >= MIN_LABELS && agreed !== null && agreed >= MIN_KAPPA,
          table: { bothPass, bothFail, onlyHuman, onlyJudge },
        },
      };
    },
  };
}

/** An evaluator may drive an alert or a gate from so many labelled spans and so much agreement on. */
const MIN_LABELS = 50;
const MIN_KAPPA = 0.6;
