import { misconfigured } from './errors.ts';
import type { Flights } from './flights.ts';
import { type CompiledPrompt, type PromptVariables, readPrompt } from './prompts.ts';
import { Fields, freeze, unexpected } from './read.ts';
import { callWithRetries } from './retry.ts';
import type { Settings } from './settings.ts';

export type EntityType = 'context' | 'prompt' | 'evaluation';

export interface RuleRequest {
  /** Kind of the linked things that are asked for. */
  readonly entityType: EntityType;
  /** Name of an input to its value, e.g. `{ 'gen_ai.request.model': 'gpt-4o', user_tier: 'gold' }`: 1 to 50 of them. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** Bring the contexts or prompts themselves. Default false. */
  readonly includeEntityData?: boolean | undefined;
  /** How prompts are brought. */
  readonly entityInputs?:
    | {
        readonly variables?: PromptVariables | undefined;
        readonly version?: string | undefined;
        readonly shouldCompile?: boolean | undefined;
      }
    | undefined;
  readonly metaProperties?: Readonly<Record<string, unknown>> | undefined;
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface LinkedEntity {
  readonly ruleId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
}

export interface ContextRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly metaProperties: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export interface RuleResult {
  /** Rules that match and are linked to something of the asked kind, the most urgent first. */
  readonly matchingRuleIds: readonly string[];
  /** What they are linked to, in the same order. */
  readonly entities: readonly LinkedEntity[];
  /** The contexts by id, when `includeEntityData` asked for them; null for one that is gone. */
  readonly contexts: ReadonlyMap<string, ContextRecord | null>;
  /** The prompts by id, when `includeEntityData` asked for them; null for one that is gone. */
  readonly prompts: ReadonlyMap<string, CompiledPrompt | null>;
}

function readContext(value: unknown, what: string): ContextRecord {
  const fields = new Fields(value, what);
  const orEmpty = (key: string) => (fields.has(key) ? fields.text(key) : '');
  return {
    id: fields.text('id'),
    name: fields.text('name'),
    description: orEmpty('description'),
    content: fields.text('content'),
    tags: fields.texts('tags'),
    metaProperties: fields.record('meta_properties'),
    status: fields.text('status'),
    createdBy: orEmpty('created_by'),
    createdAt: orEmpty('created_at'),
    updatedAt: orEmpty('updated_at'),
  };
}

/** `entity_data` is keyed `<entity type>:<entity id>`; this takes those of one kind. */
function readData<T>(
  data: Readonly<Record<string, unknown>>,
  type: EntityType,
  read: (value: unknown, what: string) => T,
): ReadonlyMap<string, T | null> {
  const found = new Map<string, T | null>();
  for (const [key, value] of Object.entries(data)) {
    if (!key.startsWith(`${type}:`)) continue;
    found.set(key.slice(type.length + 1), value === null ? null : freeze(read(value, `entity_data.${type}`)));
  }
  return found;
}

function readResult(body: Readonly<Record<string, unknown>>): RuleResult {
  const fields = new Fields(body, 'answer');
  if (!fields.has('matchingRuleIds')) throw unexpected('answer.matchingRuleIds');
  const data = fields.record('entity_data');
  return {
    matchingRuleIds: freeze(fields.texts('matchingRuleIds')),
    entities: freeze(
      fields.list('entities').map((each) => {
        const entity = new Fields(each, 'entities');
        return {
          ruleId: entity.text('rule_id'),
          entityType: entity.text('entity_type') as EntityType,
          entityId: entity.text('entity_id'),
        };
      }),
    ),
    contexts: readData(data, 'context', readContext),
    prompts: readData(data, 'prompt', readPrompt),
  };
}

export interface RuleParts {
  readonly settings: Settings;
  readonly flights: Flights<RuleResult>;
}

/** Asks which rules match the fields and what they are linked to. */
export async function evaluateRule(
  { settings, flights }: RuleParts,
  request: RuleRequest,
): Promise<RuleResult> {
  const { entityType, fields, includeEntityData = false, entityInputs, metaProperties } = request;
  if (Object.keys(fields).length === 0)
    throw misconfigured('Give at least one of `fields` to match rules against.');
  const body = JSON.stringify({
    entity_type: entityType,
    fields,
    include_entity_data: includeEntityData,
    entity_inputs: entityInputs,
    metaProperties: { ...settings.metaProperties, ...metaProperties },
    source: 'candela-typescript',
  });
  return flights.join(body, request.signal, async (signal) => {
    const call = { path: '/api/rule-engine/evaluate', contentType: 'application/json', body } as const;
    return readResult((await callWithRetries(settings, call, signal)).body);
  });
}
