import type { RULE_ROUTES, RuleExplanation, RulePreview as RulePreviewView } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, RulePlace } from '@candela/metadata-store';
import type { Explanation, Fields, FieldValue, Rule } from '@candela/rules';
import type { RulePreview, RuleQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { readCursor, writeCursor } from '../identity/cursors.ts';
import { windowOf } from '../telemetry/service.ts';
import type { EntityKinds } from './entities/index.ts';
import { evaluate } from './evaluate.ts';
import { readEvaluateRequest } from './evaluate-request.ts';
import type { RuleCache } from './rule-cache.ts';
import { createRules, explanationOf, requireValid } from './service.ts';

export type RuleHandlers = Pick<Handlers, keyof typeof RULE_ROUTES>;

export interface RuleParts {
  readonly metadata: MetadataStore;
  readonly kinds: EntityKinds;
  readonly book: RuleCache;
  readonly queries: RuleQueries;
  readonly clock: Clock;
}

/** Of long values, this much is told back. */
const MAX_SEEN = 1_000;

/** Rules: managing them, asking them, and why they say what they say. */
export function ruleHandlers(parts: RuleParts): RuleHandlers {
  const { queries, clock } = parts;
  const rules = createRules(parts);
  const previewOf = async (
    context: RequestContext,
    rule: Rule,
    {
      limit,
      ...window
    }: { readonly from: string | number; readonly to: string | number; readonly limit: number },
    signal: AbortSignal,
  ) => {
    requireValid(rule);
    return forTheWire(
      await queries.preview(context, { rule, window: windowOf(window, clock), limit }, signal),
    );
  };
  return {
    evaluateRules: ({ context, body }) => evaluate(parts, context, readEvaluateRequest(body)),

    explainRule: async ({ context, body: { rule, ruleId, fields, span }, header, signal }) => {
      if (span !== undefined) requireTelemetry(context);
      const asked = rule ?? (await rules.definition(context, ruleId ?? ''));
      requireValid(asked);
      if (span === undefined) return { data: show(explanationOf(asked, fieldsOf(fields ?? {}))) };
      const where = ofTelemetry(context, header);
      const seen = await queries.spanFields(where, span, namesOf(asked), signal);
      return { data: show(explanationOf(asked, seen)) };
    },

    previewRule: async ({ context, body: { rule, ...asked }, signal }) => {
      requireTelemetry(context);
      return { data: await previewOf(context, rule, asked, signal) };
    },

    previewSavedRule: async ({ context, params, body, header, signal }) => {
      requireTelemetry(context);
      const rule = await rules.definition(context, params.id);
      return { data: await previewOf(ofTelemetry(context, header), rule, body, signal) };
    },

    listRuleFieldValues: async ({ context, query: { from, to, ...asked }, signal }) => {
      requireTelemetry(context);
      const window = windowOf({ from, to }, clock);
      return { data: await queries.values(context, { window, ...asked }, signal) };
    },

    listRules: async ({ context, query: { q, status, limit, cursor } }) => {
      const list = listName('rules', context, [q, status]);
      const after = cursor === undefined ? undefined : placeOf(list, cursor);
      const page = await rules.list(context, { search: q, status, limit, after });
      const { next } = page;
      return {
        data: page.rules,
        nextCursor: next === undefined ? null : writeCursor(list, [next.priority, next.nameKey, next.id]),
      };
    },

    createRule: async ({ context, body, header }) => ({
      data: await rules.create(context, body, callOf(context, 'createRule', header('idempotency-key'), body)),
    }),

    getRule: async ({ context, params }) => ({ data: await rules.get(context, params.id) }),

    replaceRule: async ({ context, params, body, header }) => {
      const call = callOf(context, 'replaceRule', header('idempotency-key'), { ...params, body });
      return { data: await rules.replace(context, params.id, body, call) };
    },

    deleteRule: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteRule', header('idempotency-key'), params);
      return { data: await rules.delete(context, params.id, call) };
    },

    listRuleLinks: async ({ context, query: { ruleId, entityType, entityId, limit, cursor } }) => {
      const list = listName('rule-links', context, [ruleId, entityType, entityId]);
      const after = cursor === undefined ? undefined : String(readCursor(list, cursor, ['string'])[0]);
      const page = await rules.links(context, { ruleId, entityType, entityId, limit, after });
      return {
        data: page.links,
        nextCursor: page.next === undefined ? null : writeCursor(list, [page.next]),
      };
    },

    createRuleLink: async ({ context, body, header }) => ({
      data: await rules.link(
        context,
        body,
        callOf(context, 'createRuleLink', header('idempotency-key'), body),
      ),
    }),

    deleteRuleLink: async ({ context, query, header }) => {
      const call = callOf(context, 'deleteRuleLink', header('idempotency-key'), query);
      return { data: await rules.unlink(context, query.id, call) };
    },
  };
}

/** What is read here are spans: the scope that rules need lets nobody read those. @throws forbidden */
function requireTelemetry({ principal, scopes }: RequestContext): void {
  if (principal.kind === 'user' || scopes.has('telemetry')) return;
  throw fail('forbidden', {
    detail: 'This reads spans, and this credential lacks the scope "telemetry".',
  });
}

/**
 * Rules belong to an environment that is always one; a person who chose none looks at the spans of all of them, as on
 * every page.
 */
function ofTelemetry(context: RequestContext, header: (name: string) => string | undefined): RequestContext {
  const chosen = header('x-platform-environment') !== undefined;
  return chosen || context.principal.kind === 'key' ? context : { ...context, environment: undefined };
}

const namesOf = ({ groups }: Rule): string[] => [
  ...new Set(groups.flatMap(({ conditions }) => conditions.map(({ field }) => field))),
];

const forTheWire = ({ conditions, newest, ...rest }: RulePreview): RulePreviewView => ({
  ...rest,
  conditions: conditions.map((group) => [...group]),
  newest: [...newest],
});

/** A list is one question about one place: a cursor of another one does not go on here. */
const listName = (
  name: string,
  { projectId, databaseConfigId }: RequestContext,
  question: readonly (string | undefined)[],
): string => JSON.stringify([name, projectId, databaseConfigId, ...question.map((part) => part ?? null)]);

function placeOf(list: string, cursor: string): RulePlace {
  const [priority, nameKey, id] = readCursor(list, cursor, ['number', 'string', 'string']);
  if (!Number.isSafeInteger(priority)) {
    throw fail('bad_query', { detail: 'The cursor does not belong to this list. Start again without one.' });
  }
  return { priority: Number(priority), nameKey: String(nameKey), id: String(id) };
}

/** Null counts as not sent. */
function fieldsOf(given: Readonly<Record<string, FieldValue | null>>): Fields {
  const fields = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(given)) if (value !== null) fields.set(name, value);
  return fields;
}

const show = ({ result, why, groups }: Explanation): RuleExplanation => ({
  result,
  why,
  groups: groups.map((group) => ({
    result: group.result,
    operator: group.operator,
    conditions: group.conditions.map(({ condition, seen, ...told }) => ({
      ...condition,
      ...told,
      seen: seen === null ? null : seen.slice(0, MAX_SEEN).toWellFormed(),
    })),
  })),
});
