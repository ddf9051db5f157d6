import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import { type RawSpeaker, SPEAKER_COLUMNS } from './speaker.ts';

export interface RawTotals extends RawSpeaker {
  readonly StartNs: string;
  readonly EndNs: string;
  readonly Spans: number;
  readonly Errors: number;
  readonly RootName: string;
  readonly RootService: string;
  readonly RootStatus: string;
  /** 1 when the root was sent while it ran, and never with its end. */
  readonly RootUnfinished: number;
  readonly RootEnvironment: string;
  readonly Services: string[];
  readonly Models: string[];
  readonly Counting: number;
  readonly Input: number;
  readonly Output: number;
  readonly Cost: number | null;
  readonly Session: string;
  readonly User: string;
}

const UNFINISHED = `Flags >= ${UNFINISHED_FLAG}`;
/**
 * The root is the earliest span without a parent, or the earliest of all when no such span arrived. Of a span that was
 * sent while it ran and once more with its end, only the latter knows the outcome.
 */
const ROOT = `tuple(ParentSpanId != '', Timestamp, SpanId, ${UNFINISHED})`;
/** Figures of whole traces. Usage is summed over the spans that count it, so that parents add nothing. */
export const TRACE_TOTALS = `TraceId,
  toString(toUnixTimestamp64Nano(min(Timestamp))) AS StartNs,
  toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS EndNs,
  count() AS Spans, countIf(StatusCode = 'Error') AS Errors,
  argMin(SpanName, ${ROOT}) AS RootName, argMin(ServiceName, ${ROOT}) AS RootService,
  argMin(StatusCode, ${ROOT}) AS RootStatus, argMin(${UNFINISHED}, ${ROOT}) AS RootUnfinished, argMin(Environment, ${ROOT}) AS RootEnvironment,
  arraySort(groupUniqArray(20)(ServiceName)) AS Services,
  arraySort(groupUniqArrayIf(20)(${MODEL_SQL}, ${MODEL_SQL} != '')) AS Models,
  countIf(CountsUsage = 1) AS Counting,
  sumIf(${INPUT_TOKENS_SQL}, CountsUsage = 1) AS Input, sumIf(${OUTPUT_TOKENS_SQL}, CountsUsage = 1) AS Output,
  sumIf(CostUsd, CountsUsage = 1) AS Cost,
  argMinIf(SessionId, Timestamp, SessionId != '') AS Session, argMinIf(UserId, Timestamp, UserId != '') AS User,
  ${SPEAKER_COLUMNS}`;
