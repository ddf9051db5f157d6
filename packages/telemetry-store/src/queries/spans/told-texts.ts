/**
 * The texts of one speaker that stand beside of the attributes of a span: in its events and in log records that name it. This is where
 * instrumentations of OpenTelemetry put messages (`gen_ai.user.message`, `gen_ai.client.inference.operation.details`, ...).
 */
import type { Params } from '../core/params.ts';
import { tenantConditions } from '../core/tenant.ts';
import { firstText, roleTexts, type SpokenRole, textsOfValue } from './role-texts.ts';

/** Who speaks in the events of one message each. */
const SPEAKER_OF: Readonly<Record<string, SpokenRole>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
};
const ONE_MESSAGE = Object.keys(SPEAKER_OF)
  .map((name) => `'${name}'`)
  .join(', ');
/** Events of whole calls have their messages in these attributes. */
const CALL_KEYS = [
  'gen_ai.system_instructions',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.prompt',
  'gen_ai.completion',
];
const MESSAGE_KEYS = ['gen_ai.event.content', 'event_content', 'message', 'content'];

const HOUR = 3_600_000_000_000n;
const DAY = 24n * HOUR;
/** Spans that log records of one statement may find: newer ones come first. */
const MOST_SPANS = 100_000;

const speakerOf = (name: string): string =>
  `multiIf(${Object.entries(SPEAKER_OF)
    .map(([event, role]) => `${name} = '${event}', '${role}'`)
    .join(', ')}, '')`;

/** The texts of a role in one event or log record. `body`: what it says itself, an expression; '' where that says nothing. */
function textsOf(role: SpokenRole, name: string, attributes: string, body: string): string {
  const own = MESSAGE_KEYS.map((key) => `${attributes}['${key}']`);
  const message = textsOfValue(role, speakerOf(name), firstText([body, ...own]));
  const inBody = CALL_KEYS.map(
    (key) =>
      `'${key}', if(JSONType(${body}, '${key}') = 'String', JSONExtractString(${body}, '${key}'), JSONExtractRaw(${body}, '${key}'))`,
  );
  const keys = CALL_KEYS.map((key) => `'${key}'`).join(', ');
  const listed = `CAST(mapFilter((ck, cv) -> ck IN (${keys}) AND cv != '', ${attributes}), 'Map(String, String)')`;
  const call =
    body === "''"
      ? listed
      : `if(startsWith(${body}, '{'), mapUpdate(map(${inBody.join(', ')}), ${listed}), ${listed})`;
  // Bound once: the texts name the map of a call several times.
  const whole = `arrayMap(cm -> ${roleTexts(role, 'cm')}, [${call}])[1]`;
  return `multiIf(${name} IN (${ONE_MESSAGE}), ${message}, startsWith(${name}, 'gen_ai.'), ${whole}, [])`;
}

/** A span of an AI application has events that may hold messages; its columns of attributes are not read for that. */
export const EVENT_MESSAGES =
  "(GenAiConvention != '' AND arrayExists(en -> startsWith(en, 'gen_ai.'), Events.Name))";

/** Every text that a role said in the events of a span, as `Array(String)`. */
export const eventTexts = (role: SpokenRole): string =>
  `if(${EVENT_MESSAGES}, arrayFlatten(arrayMap((en, ea) -> ${textsOf(role, 'en', 'ea', "''")}, Events.Name, Events.Attributes)), [])`;

const LOG_NAME = "if(startsWith(EventName, 'gen_ai.'), EventName, Body)";
/** A body that only repeats the name says nothing. */
const LOG_BODY = "if(startsWith(Body, 'gen_ai.'), '', Body)";
const LOG_MESSAGES = "(startsWith(EventName, 'gen_ai.') OR startsWith(Body, 'gen_ai.')) AND TraceId != ''";

const logTexts = (role: SpokenRole): string =>
  `arrayMap((ln, lb, la) -> ${textsOf(role, 'ln', 'la', 'lb')}, [${LOG_NAME}], [${LOG_BODY}], [LogAttributes])[1]`;

/**
 * That a text of that role, `t` of the condition `holds`, stands in an event of a span or in a log record that names it. Log records
 * are looked for in the same store, from an hour before the time range that was asked for to a day after it; without one only in events.
 * Whether there are any such events or records the engine finds out first: where there are none the condition is a constant, and
 * indexes decide as if it were not there.
 */
export function toldElsewhere(role: SpokenRole, holds: string, params: Params): string {
  const inEvents = `arrayExists(t -> ${holds}, ${eventTexts(role)})`;
  const { window, tenant } = params;
  if (window === undefined || tenant === undefined) return inEvents;
  const own = (table: string, during: { readonly from: bigint; readonly to: bigint }, more: string) =>
    `FROM ${table} WHERE ${[
      ...tenantConditions(tenant, params),
      `Timestamp >= ${params.time(during.from)}`,
      `Timestamp < ${params.time(during.to)}`,
      more,
    ].join(' AND ')}`;
  const asked = { from: window.from - (window.to - window.from), to: window.to };
  const [events, logs] = [
    params.part('events with messages', () => own('otel_traces', asked, EVENT_MESSAGES)),
    params.part('log records with messages', () =>
      own('otel_logs', { from: asked.from - HOUR, to: asked.to + DAY }, LOG_MESSAGES),
    ),
  ];
  const some = (from: string) => `(SELECT count() FROM (SELECT 1 ${from} LIMIT 1)) > 0`;
  const inLogs = `(TraceId, SpanId) GLOBAL IN (SELECT TraceId, SpanId ${logs} AND arrayExists(t -> ${holds}, ${logTexts(role)})
    ORDER BY Timestamp DESC LIMIT ${MOST_SPANS})`;
  return `(${some(events)} AND ${inEvents}) OR (${some(logs)} AND ${inLogs})`;
}
