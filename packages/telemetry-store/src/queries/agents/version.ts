import type { ResponseOf, ROUTES } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type Message, readConversation } from '@candela/semconv';
import { AGENT_FIGURES } from '../../rollups/agent-figures.ts';
import { AGENT_VERSION, SETTING_KEYS } from '../../schema/expressions.ts';
import { MODEL_SQL } from '../core/gen-ai.ts';
import { rolledRows, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso } from '../spans/span-row.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from '../spans/stored-span.ts';
import type { OfAgent } from './agent.ts';

export type VersionContent = ResponseOf<typeof ROUTES.getAgentVersion>['data'];

interface RawCall extends StoredSpan {
  readonly TraceId: string;
  readonly SpanId: string;
  readonly Model: string;
}

const SETTINGS = new Set(SETTING_KEYS);

/** What a version consists of: read from its last model call, which the rollup knows the time of. @throws not_found */
export async function readVersion(
  runner: Runner,
  context: RequestContext,
  input: OfAgent & { readonly version: string },
): Promise<VersionContent> {
  const refuse = () => fail('not_found', { what: 'The version in this time range' });
  const rolled = Scope.of(context, rolledSource(AGENT_FIGURES));
  const [seen] = await runner.run<{ LastSeen: string; N: number }>(
    rolled,
    `SELECT toString(max(LastNs)) AS LastSeen, sum(Spans) AS N
     FROM ${rolledRows(rolled, AGENT_FIGURES, input.window)}
     WHERE AgentName = ${rolled.params.bind(input.agent, 'String')}
       AND AgentVersion = ${rolled.params.bind(input.version, 'String')}`,
  );
  if (seen === undefined || seen.N === 0) throw refuse();
  const at = BigInt(seen.LastSeen);
  const open = Scope.of(context, SPANS).during({ from: at, to: at + 1n });
  const scope = open
    .and(`AgentName = ${open.params.bind(input.agent, 'String')}`)
    .and(`${AGENT_VERSION} = ${open.params.bind(input.version, 'String')}`);
  const [call] = await runner.run<RawCall>(
    scope,
    `SELECT TraceId, SpanId, ${MODEL_SQL} AS Model, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${scope.from} LIMIT 1`,
  );
  if (call === undefined) throw refuse();
  const conversation = readConversation(spanReader(call));
  const system = conversation.input
    .filter((message) => message.role === 'system' || message.role === 'developer')
    .map(textOf)
    .join('\n\n');
  return {
    version: input.version,
    model: call.Model,
    system: system === '' ? null : system,
    tools: conversation.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    settings: call.AttributeKeys.flatMap((key, index) =>
      SETTINGS.has(key) ? [{ key, value: call.AttributeValues[index] ?? '' }] : [],
    ).sort((a, b) => (a.key < b.key ? -1 : 1)),
    traceId: call.TraceId,
    spanId: call.SpanId,
    seen: iso(at),
  };
}

const textOf = (message: Message): string =>
  message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'json' ? [part.json] : []))
    .join('\n');
