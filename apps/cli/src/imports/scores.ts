import type { LogRecord } from '@candela/otlp';
import { importIdOf } from './ids.ts';
import { attributesOf } from './values.ts';

/** Attribute by which a log record that was imported is known again. */
export const IMPORT_ID = 'platform.import.id';

export interface ImportedScore {
  /** The platform it comes from, and its id there. */
  readonly from: string;
  readonly id: string;
  readonly name: string;
  readonly at: bigint;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly value?: number | undefined;
  readonly label?: string | undefined;
  readonly explanation?: string | undefined;
  /** Who gave it, in words of the other platform. */
  readonly source: string;
}

/** A score as the event of the semantic conventions; a later one of the same id replaces it. */
export function scoreLog(score: ImportedScore): LogRecord {
  const { from, id, value } = score;
  const byPerson = /annotation|human|user|feedback/i.test(score.source);
  return {
    timeUnixNano: score.at,
    observedTimeUnixNano: score.at,
    severityNumber: 9,
    eventName: 'gen_ai.evaluation.result',
    ...(score.traceId === undefined ? {} : { traceId: score.traceId }),
    ...(score.spanId === undefined ? {} : { spanId: score.spanId }),
    attributes: attributesOf([
      ['gen_ai.evaluation.name', score.name],
      ['gen_ai.evaluation.score.value', value],
      ['gen_ai.evaluation.score.label', score.label],
      ['gen_ai.evaluation.explanation', score.explanation],
      ['platform.evaluation.id', `${from}:${id}`],
      ['platform.evaluation.source', byPerson ? 'human' : 'import'],
      ['platform.evaluation.evaluator', from],
      ['session.id', score.sessionId],
      [IMPORT_ID, importIdOf(from, 'score', id)],
    ]),
  };
}
