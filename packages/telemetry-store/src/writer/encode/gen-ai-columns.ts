import { CandelaError } from '@candela/kernel';
import type { AttributeList } from '@candela/otlp';
import { type GenAiFacts, priceUsage, textOf } from '@candela/semconv';
import { cutName } from '../columns/bounds.ts';
import type { TableWriter } from '../columns/table-writer.ts';
import { COUNTS } from './counts.ts';
import type { Outcome } from './outcome.ts';

const LC = 'LowCardinality(String)';
const MAX_UINT32 = 0xffff_ffff;

/** Fills the promoted GenAI columns that spans and logs share. */
export class GenAiColumns {
  readonly #convention;
  readonly #operation;
  readonly #provider;
  readonly #requestModel;
  readonly #responseModel;
  readonly #sessionId;
  readonly #userId;
  readonly #agentName;
  readonly #toolName;
  readonly #errorType;
  readonly #inputTokens;
  readonly #cacheReadTokens;
  readonly #cacheWriteTokens;
  readonly #outputTokens;
  readonly #reasoningTokens;
  readonly #costUsd;
  readonly #emitterCostUsd;
  readonly #pricingDetails;
  readonly countsUsage;
  /** Costs of spans with usage that are no calls, by row. */
  readonly #costs = new Map<number, number>();

  constructor(table: TableWriter) {
    this.#convention = table.column('GenAiConvention', LC);
    this.#operation = table.column('GenAiOperation', LC);
    this.#provider = table.column('GenAiProvider', LC);
    this.#requestModel = table.column('GenAiRequestModel', LC);
    this.#responseModel = table.column('GenAiResponseModel', LC);
    this.#sessionId = table.column('SessionId', 'String').sink;
    this.#userId = table.column('UserId', 'String').sink;
    this.#agentName = table.column('AgentName', LC);
    this.#toolName = table.column('ToolName', LC);
    this.#errorType = table.column('ErrorType', LC);
    this.#inputTokens = table.column('InputTokens', 'UInt32');
    this.#cacheReadTokens = table.column('CacheReadTokens', 'UInt32');
    this.#cacheWriteTokens = table.column('CacheWriteTokens', 'UInt32');
    this.#outputTokens = table.column('OutputTokens', 'UInt32');
    this.#reasoningTokens = table.column('ReasoningTokens', 'UInt32');
    this.countsUsage = table.column('CountsUsage', 'UInt8');
    this.#costUsd = table.column('CostUsd', 'Nullable(Float64)');
    this.#emitterCostUsd = table.column('EmitterCostUsd', 'Nullable(Float64)');
    this.#pricingDetails = table.column('PricingDetails', 'String').sink;
  }

  /** A record that is no GenAI one still may name its session, user and error. */
  setPlain(row: number, attributes: AttributeList, errorType: string): void {
    this.#sessionId.string(cutName(sessionOf(attributes)));
    this.#userId.string(cutName(userOf(attributes)));
    this.#pricingDetails.string('');
    if (errorType !== '') this.#errorType.set(row, errorType);
  }

  /**
   * Returns true when the record is a model call whose usage is known. @param errorType where the facts name none @param atMs
   * when the call began
   */
  setFacts(
    row: number,
    facts: GenAiFacts,
    attributes: AttributeList,
    errorType: string,
    atMs: number,
  ): boolean {
    this.#convention.set(row, facts.convention);
    this.#operation.set(row, facts.operation);
    this.#provider.set(row, facts.provider);
    this.#requestModel.set(row, facts.requestModel);
    this.#responseModel.set(row, facts.responseModel);
    this.#sessionId.string(cutName(facts.sessionId || sessionOf(attributes)));
    this.#userId.string(cutName(facts.userId || userOf(attributes)));
    this.#agentName.set(row, facts.agentName);
    this.#toolName.set(row, facts.toolName);
    this.#errorType.set(row, facts.errorType || errorType);
    setFinite(this.#emitterCostUsd, row, facts.emitterCostUsd);
    this.#pricingDetails.string(pricingDetailsOf(facts));
    const { usage } = facts;
    if (usage === undefined) return false;
    this.#inputTokens.data[row] = clampTokens(usage.input);
    this.#cacheReadTokens.data[row] = clampTokens(usage.cacheRead);
    this.#cacheWriteTokens.data[row] = clampTokens(usage.cacheWrite);
    this.#outputTokens.data[row] = clampTokens(usage.output);
    this.#reasoningTokens.data[row] = clampTokens(usage.reasoning);
    const cost = costOf(facts, atMs);
    if (!facts.isModelCall) {
      // What is no call has a cost only where nothing below it does, which is not known yet.
      if (cost !== undefined) this.#costs.set(row, cost);
      return false;
    }
    setFinite(this.#costUsd, row, cost);
    return true;
  }

  /** @param counts see `COUNTS` */
  settle(row: number, counts: number): void {
    this.countsUsage.data[row] = counts;
    if (counts === COUNTS.everywhere) setFinite(this.#costUsd, row, this.#costs.get(row));
  }

  /** Forgets what a request leaves open. */
  endRequest(): void {
    this.#costs.clear();
  }
}

/**
 * What a call cost: as a person says, by the price list, else as its emitter reckoned. Of a call whose counts were absurd the
 * list and the emitter know nothing.
 */
function costOf(facts: GenAiFacts, atMs: number): number | undefined {
  if (facts.costIsExplicit) return facts.emitterCostUsd;
  if (facts.rejectedCounts > 0) return undefined;
  return priceUsage(facts, atMs)?.costUsd ?? facts.emitterCostUsd;
}

/** What a price may depend on besides tokens and models; '' where nothing does, as on nearly every call. */
function pricingDetailsOf({ serviceTier, usage, costIsExplicit, rejectedCounts }: GenAiFacts): string {
  const by = costIsExplicit ? 'person' : rejectedCounts > 0 ? 'rejected' : '';
  if (serviceTier === '' && by === '' && usage?.details === undefined) return '';
  const counts = Object.entries(usage?.details ?? {}).filter(([, count]) => count > 0);
  if (serviceTier === '' && by === '' && counts.length === 0) return '';
  return JSON.stringify({
    ...(serviceTier === '' ? {} : { tier: serviceTier }),
    ...(by === '' ? {} : { by }),
    ...Object.fromEntries(counts.map(([name, count]) => [name, clampTokens(Number(count))])),
  });
}

// Read as the facts are: the spans of one session would belong to two of them else.
function sessionOf(attributes: AttributeList): string {
  return textOf(attributes.get('session.id'));
}

function userOf(attributes: AttributeList): string {
  return textOf(attributes.get('user.id')) || textOf(attributes.get('enduser.id'));
}

/** A normaliser must not cost a sender its data: what it fails on is kept without facts, and counted. */
export function readFacts<Facts>(read: () => Facts | undefined, outcome: Outcome): Facts | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CandelaError) throw error;
    outcome.adjust('facts_unread', 1);
    return undefined;
  }
}

/** NaN and the infinities are no costs and no durations: they stay null. */
export function setFinite(
  column: { set(row: number, value: number): void },
  row: number,
  value: number | undefined,
): void {
  if (value !== undefined && Number.isFinite(value)) column.set(row, value);
}

/** Milliseconds of the nanoseconds that two words are; NaN of none. */
export const millisecondsOf = (low: number, high: number): number =>
  ((high >>> 0) * 4_294_967_296 + (low >>> 0)) / 1e6 || Number.NaN;

function clampTokens(tokens: number): number {
  return tokens > 0 ? Math.min(Math.round(tokens), MAX_UINT32) : 0;
}
