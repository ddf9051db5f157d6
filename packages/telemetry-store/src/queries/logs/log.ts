import type { LogDetail } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type LogReader, MESSAGE_LOG_PREFIX, readLogConversation } from '@candela/semconv';
import { toAttributeMap, toAttributes } from '../core/attributes.ts';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { LOGS } from './log-fields.ts';
import { decodeLogId, LOG_HASH } from './log-id.ts';
import { LOG_COLUMNS, type RawLogRow, toLogRow } from './log-row.ts';

interface WholeLog extends RawLogRow {
  readonly Body: string;
  readonly SeverityNumber: number;
  readonly TraceFlags: number;
  readonly AttributeKeys: string[];
  readonly AttributeValues: string[];
  readonly AttributeTypes: string;
  readonly ResourceKeys: string[];
  readonly ResourceValues: string[];
  readonly ResourceSchemaUrl: string;
  readonly ScopeVersion: string;
  readonly ScopeSchemaUrl: string;
  readonly ScopeKeys: string[];
  readonly ScopeValues: string[];
  readonly GenAiConvention: string;
  readonly GenAiOperation: string;
  readonly GenAiProvider: string;
  readonly Model: string;
  readonly AgentName: string;
  readonly ToolName: string;
  readonly SessionId: string;
  readonly UserId: string;
  readonly ErrorType: string;
  readonly Input: number;
  readonly Output: number;
  readonly CountsUsage: number;
  readonly CostUsd: number | null;
}

const DETAIL_COLUMNS = `${LOG_COLUMNS}, Body, SeverityNumber, TraceFlags,
  mapKeys(LogAttributes) AS AttributeKeys, mapValues(LogAttributes) AS AttributeValues, AttributeTypes,
  mapKeys(ResourceAttributes) AS ResourceKeys, mapValues(ResourceAttributes) AS ResourceValues, ResourceSchemaUrl,
  ScopeVersion, ScopeSchemaUrl, mapKeys(ScopeAttributes) AS ScopeKeys, mapValues(ScopeAttributes) AS ScopeValues,
  GenAiConvention, GenAiOperation, GenAiProvider, ${MODEL_SQL} AS Model, AgentName, ToolName, SessionId, UserId,
  ErrorType, ${INPUT_TOKENS_SQL} AS Input, ${OUTPUT_TOKENS_SQL} AS Output, CountsUsage, CostUsd`;

/** One log record whole. @throws not_found, also for a record of another project */
export async function readLog(runner: Runner, context: RequestContext, id: string): Promise<LogDetail> {
  return toDetail(await findLog<WholeLog>(runner, context, id, DETAIL_COLUMNS));
}

/** The record of that id. @throws not_found */
export async function findLog<Row>(
  runner: Runner,
  context: RequestContext,
  id: string,
  columns: string,
): Promise<Row> {
  const wanted = decodeLogId(id);
  if (wanted === undefined) throw fail('not_found', { what: 'The log record' });
  const open = Scope.of(context, LOGS).during({ from: wanted.ns, to: wanted.ns + 1n });
  const scope = open.and(`${LOG_HASH} = ${open.params.bind(wanted.hash, 'UInt64')}`);
  const [raw] = await runner.run<Row>(scope, `SELECT ${columns} ${scope.from} LIMIT 1`);
  if (raw === undefined) throw fail('not_found', { what: 'The log record' });
  return raw;
}

function toDetail(raw: WholeLog): LogDetail {
  const usage = raw.CountsUsage === 1 || raw.Input > 0 || raw.Output > 0;
  return {
    ...toLogRow(raw),
    body: raw.Body,
    bodyTruncated: false,
    observedTimestamp: iso(BigInt(raw.ObservedNs)),
    severityNumber: raw.SeverityNumber === 0 ? null : raw.SeverityNumber,
    flags: raw.TraceFlags,
    attributes: toAttributes({ keys: raw.AttributeKeys, values: raw.AttributeValues }, raw.AttributeTypes),
    resource: toAttributes({ keys: raw.ResourceKeys, values: raw.ResourceValues }),
    resourceSchemaUrl: orNull(raw.ResourceSchemaUrl),
    scope: {
      name: raw.ScopeName,
      version: raw.ScopeVersion,
      schemaUrl: orNull(raw.ScopeSchemaUrl),
      attributes: toAttributes({ keys: raw.ScopeKeys, values: raw.ScopeValues }),
    },
    convention: orNull(raw.GenAiConvention),
    operation: orNull(raw.GenAiOperation),
    provider: orNull(raw.GenAiProvider),
    model: orNull(raw.Model),
    agent: orNull(raw.AgentName),
    tool: orNull(raw.ToolName),
    sessionId: orNull(raw.SessionId),
    userId: orNull(raw.UserId),
    errorType: orNull(raw.ErrorType),
    inputTokens: usage ? raw.Input : null,
    outputTokens: usage ? raw.Output : null,
    costUsd: raw.CostUsd,
    conversation: conversationOf(raw),
  };
}

function conversationOf(raw: WholeLog): LogDetail['conversation'] {
  const isMessage = raw.EventName.startsWith(MESSAGE_LOG_PREFIX) || raw.Body.startsWith(MESSAGE_LOG_PREFIX);
  if (!isMessage) return null;
  const reader: LogReader = {
    eventName: raw.EventName,
    scopeName: raw.ScopeName,
    body: raw.Body === '' ? undefined : raw.Body,
    attributes: toAttributeMap({ keys: raw.AttributeKeys, values: raw.AttributeValues }, raw.AttributeTypes),
    resource: new Map(),
  };
  const conversation = readLogConversation([reader]);
  const says =
    conversation.input.length +
    conversation.output.length +
    conversation.scores.length +
    conversation.tools.length;
  return says === 0 ? null : conversation;
}
