/** The span of a trace that shows its conversation best: the order of those that may be it, and which may. */

/** The root if it carries the conversation, else the first GenAI span that does. */
export const SPEAKER = "tuple(ParentSpanId != '', GenAiOperation = '', Timestamp)";
// The map's own subcolumn: reading the sizes alone is a fraction of reading the map.
export const SPEAKS = 'ContentAttributes.size0 > 0';

/** That span and when it began, as columns of a statement grouped by `TraceId`. */
export const SPEAKER_COLUMNS = `(argMinIf((SpanId, Timestamp), ${SPEAKER}, ${SPEAKS}) AS Speaker).1 AS SpeakerId,
  toString(toUnixTimestamp64Nano(Speaker.2)) AS SpeakerNs`;

export interface RawSpeaker {
  readonly TraceId: string;
  /** The span that shows the conversation best; empty when none has one. */
  readonly SpeakerId: string;
  readonly SpeakerNs: string;
}
