import type { Alert, AlertInput, AlertMatcher, BodyOf, ROUTES } from '@candela/contract';
import { CandelaError, type Clock, fail, hasRole, type RequestContext } from '@candela/kernel';
import type {
  AlertDocument,
  Call,
  MetadataStore,
  Repositories,
  StoredAlertState,
} from '@candela/metadata-store';
import { modelNameCandidates } from '@candela/semconv';
import { actorName, type AuditEntry, record } from '../audit/service.ts';
import { readEvents, readLevel } from './evaluate.ts';
import { kindOf } from './kinds/index.ts';
import type { AlertSources } from './kinds/kind.ts';
import { alertView, eventView, groupView, iso, type Silences, stateOf } from './stored.ts';
import { isWhole } from './switch-rules.ts';

const entry = (
  action: AuditEntry['action'],
  objectId: string,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry => ({ action, objectKind: action.split('.', 1)[0] ?? 'alert', objectId, details });

const documentOf = (alert: AlertInput): AlertDocument => ({
  name: alert.name,
  kind: alert.source.kind,
  enabled: alert.enabled,
  definition: JSON.stringify(alert),
});

/** What is wrong with what was written, or with who wrote it. */
const SAID_NOW: ReadonlySet<string> = new Set([
  'bad_query',
  'refused',
  'bad_request',
  'forbidden',
  'sql_refused',
]);

/** A place in a list as a cursor. @throws bad_request */
export function placeOf(cursor: string | undefined): { at: number; id: string } | undefined {
  if (cursor === undefined) return undefined;
  const match = /^(\d{1,15})\.([0-9a-f-]{1,64})$/.exec(cursor);
  if (match === null) throw fail('bad_request', { detail: 'The cursor is not one of this list.' });
  return { at: Number(match[1]), id: match[2] ?? '' };
}

/** Alerts of a project: what people see and change of them. */
export function createAlerts(parts: {
  readonly metadata: MetadataStore;
  readonly sources: AlertSources;
  readonly clock: Clock;
}) {
  const { metadata, sources, clock } = parts;
  const silencesOf = async (projectId: string): Promise<Silences> =>
    (await metadata.alertSilences.active(projectId)).map(
      ({ matchers }) => JSON.parse(matchers) as AlertMatcher[],
    );

  /** Refuses what could never work, and what whoever writes it may not see. @throws refused, forbidden, bad_query */
  async function check(
    context: RequestContext,
    { source, destinations, delaySeconds, minSamples, allowUncalibrated }: AlertInput,
  ) {
    const { principal } = context;
    if (source.kind === 'changed' && !(principal.kind === 'user' && hasRole(principal.role, 'admin')))
      throw fail('forbidden', {
        detail: 'Alerts about changes read the audit log: administrators make them.',
      });
    // Not in the schema: alerts that were saved with such a list before still have to be read.
    if (source.kind === 'budget' && new Set(source.thresholds).size !== source.thresholds.length)
      throw fail('refused', { detail: 'A percentage of the budget is given twice. Give each once.' });
    const known = new Set((await metadata.alertDestinations.list(context.projectId)).map(({ id }) => id));
    if (destinations.some((id) => !known.has(id)))
      throw fail('refused', { detail: 'A destination does not exist. Choose another one.' });
    if (source.kind === 'budget' && source.ruleSwitch !== null) {
      if (!context.scopes.has('rule_engine'))
        throw fail('forbidden', { detail: 'The key needs the scope rule_engine to switch a rule.' });
      await metadata.rules.get(context, source.ruleSwitch.ruleId);
    }
    const end = clock.now() - delaySeconds * 1_000;
    const signal = AbortSignal.timeout(30_000);
    try {
      if (kindOf(source.kind).mode === 'level')
        await readLevel(sources, source, { context, end, known: [], minSamples, allowUncalibrated, signal });
      else
        await readEvents(sources, source, {
          context,
          from: end - 60_000,
          to: end,
          since: end - 60_000,
          signal,
        });
    } catch (thrown) {
      // What is wrong with the query is said now; a store that does not answer is no fault of it.
      if (!(thrown instanceof CandelaError) || SAID_NOW.has(thrown.code)) throw thrown;
    }
  }

  return {
    silencesOf,

    async list({ projectId }: RequestContext): Promise<Alert[]> {
      const [alerts, states, silences] = await Promise.all([
        metadata.alerts.list(projectId),
        metadata.alerts.states(projectId),
        silencesOf(projectId),
      ]);
      const byAlert = Map.groupBy(states, ({ alertId }) => alertId);
      return alerts.map((alert) => alertView(alert, byAlert.get(alert.id) ?? [], silences));
    },

    async get({ projectId }: RequestContext, id: string) {
      const states = await metadata.alerts.states(projectId, id);
      const silences = await silencesOf(projectId);
      const alert = alertView(
        await metadata.alerts.get(projectId, id),
        states.filter(({ status }) => status !== 'ok'),
        silences,
      );
      const groups = states
        .filter(({ status }) => status !== 'error')
        .map((row) => groupView(alert, row, silences));
      return { alert, groups };
    },

    async create(context: RequestContext, alert: AlertInput, call: Call | undefined): Promise<Alert> {
      await check(context, alert);
      const place = { ...context, environment: context.environment ?? null };
      const silences = await silencesOf(context.projectId);
      return metadata.change(call, async (repositories) => {
        const made = await repositories.alerts.create(place, documentOf(alert), actorName(context));
        await record(
          repositories,
          context,
          entry('alert.create', made.id, { name: made.name, kind: made.kind }),
        );
        return alertView(made, [], silences);
      });
    },

    async update(
      context: RequestContext,
      id: string,
      { revision, ...alert }: BodyOf<typeof ROUTES.updateAlert>,
      call: Call | undefined,
    ): Promise<Alert> {
      const before = await metadata.alerts.get(context.projectId, id);
      await check(context, alert);
      // Groups of another question are other groups.
      const watched = ({ source }: AlertInput) => {
        const { condition: _condition, ...rest } = source as AlertInput['source'] & { condition?: unknown };
        return JSON.stringify(rest);
      };
      const forget = watched(JSON.parse(before.definition) as AlertInput) !== watched(alert);
      const silences = await silencesOf(context.projectId);
      return metadata.change(call, async (repositories) => {
        const changed = await repositories.alerts.replace(context.projectId, id, {
          revision,
          alert: documentOf(alert),
          by: actorName(context),
          forget,
        });
        await record(
          repositories,
          context,
          entry('alert.update', id, { name: changed.name, enabled: changed.enabled }),
        );
        const states = await repositories.alerts.states(context.projectId, id);
        return alertView(
          changed,
          states.filter(({ status }) => status !== 'ok'),
          silences,
        );
      });
    },

    delete: (context: RequestContext, id: string, call: Call | undefined) =>
      metadata.change(call, async (repositories) => {
        const { name } = await repositories.alerts.get(context.projectId, id);
        await repositories.alerts.delete(context.projectId, id);
        await record(repositories, context, entry('alert.delete', id, { name }));
        return { id };
      }),

    acknowledge: (
      context: RequestContext,
      id: string,
      body: BodyOf<typeof ROUTES.acknowledgeAlert>,
      call: Call | undefined,
    ) =>
      metadata.change(call, async (repositories) => {
        const { name } = await repositories.alerts.get(context.projectId, id);
        const rows = (await repositories.alerts.states(context.projectId, id)).filter(
          ({ groupKey, status }) =>
            (status === 'firing' || status === 'no_data') &&
            (body.groupKey === undefined || body.groupKey === groupKey),
        );
        const by = body.acknowledged ? actorName(context) : undefined;
        for (const row of rows) {
          const state = JSON.stringify({ ...stateOf(row), acknowledgedBy: by });
          await repositories.alerts.writeState(context.projectId, { ...row, state });
        }
        const verb = body.acknowledged ? 'acknowledge' : 'unacknowledge';
        await record(repositories, context, entry(`alert.${verb}`, id, { name, groups: rows.length }));
        return { groups: rows.length };
      }),

    async events(
      { projectId }: RequestContext,
      of: {
        readonly alertId?: string | undefined;
        readonly limit: number;
        readonly cursor?: string | undefined;
      },
    ) {
      const found = await metadata.alerts.events(projectId, {
        alertId: of.alertId,
        limit: of.limit + 1,
        after: placeOf(of.cursor),
      });
      const heads = new Map(
        (await metadata.alerts.list(projectId)).map((alert) => [
          alert.id,
          { name: alert.name, severity: (JSON.parse(alert.definition) as AlertInput).severity },
        ]),
      );
      const page = found.slice(0, of.limit);
      const last = found.length > of.limit ? page.at(-1) : undefined;
      return {
        data: page.map((event) =>
          eventView(event, heads.get(event.alertId) ?? { name: '', severity: 'info' }),
        ),
        nextCursor: last === undefined ? null : `${last.recordedAt}.${last.id}`,
      };
    },

    createSilence(
      context: RequestContext,
      body: BodyOf<typeof ROUTES.createSilence>,
      call: Call | undefined,
    ) {
      const now = clock.now();
      const startsAt = body.startsAt === undefined ? now : Date.parse(body.startsAt);
      const endsAt = Date.parse(body.endsAt);
      if (endsAt <= now) throw fail('refused', { detail: 'The silence is over before it begins.' });
      return metadata.change(call, async (repositories) => {
        const made = await repositories.alertSilences.create(context.projectId, {
          matchers: JSON.stringify(body.matchers),
          comment: body.comment,
          author: actorName(context),
          startsAt,
          endsAt,
        });
        await record(
          repositories,
          context,
          entry('alert-silence.create', made.id, { comment: made.comment, until: iso(endsAt) }),
        );
        return silenceView(made, now);
      });
    },

    endSilence: (context: RequestContext, id: string, call: Call | undefined) =>
      metadata.change(call, async (repositories) => {
        await repositories.alertSilences.end(context.projectId, id);
        await record(repositories, context, entry('alert-silence.delete', id, {}));
        return { id };
      }),

    silences: async ({ projectId }: RequestContext) =>
      (await metadata.alertSilences.list(projectId)).map((silence) => silenceView(silence, clock.now())),

    /** Budgets that are spent and are about one of these. */
    async budgets(context: RequestContext, about: Readonly<Record<string, string | undefined>>) {
      const found = await metadata.alerts.firing(context.projectId, 'budget');
      return found.flatMap(({ alert, state }) => {
        const { source } = JSON.parse(alert.definition) as AlertInput;
        if (source.kind !== 'budget') return [];
        if (alert.environment !== null && alert.environment !== (context.environment ?? alert.environment))
          return [];
        return exceeded(alert.name, source, state, about);
      });
    },
  };
}

function exceeded(
  name: string,
  source: Extract<AlertInput['source'], { kind: 'budget' }>,
  row: StoredAlertState,
  about: Readonly<Record<string, string | undefined>>,
) {
  const state = stateOf(row);
  if (!isWhole(state.labels)) return [];
  const value = source.scope === 'project' ? null : (state.labels[0]?.[1] ?? '');
  if (value !== null && !isAbout(source.scope, about[source.scope], value)) return [];
  return [
    {
      budget: name,
      scope: source.scope,
      value,
      percent: state.value,
      limitUsd: source.limitUsd,
      blocks: source.blocks,
      since: iso(state.since),
    },
  ];
}

/** Whether a call is about a group. Who asks for `gpt-4o` is answered by `gpt-4o-2024-11-20`, whose spending is the group's. */
const isAbout = (scope: string, asked: string | undefined, group: string): boolean =>
  asked === group ||
  (scope === 'model' && asked !== undefined && modelNameCandidates(group).includes(asked.toLowerCase()));

function silenceView(silence: Awaited<ReturnType<Repositories['alertSilences']['create']>>, now: number) {
  return {
    id: silence.id,
    matchers: JSON.parse(silence.matchers) as AlertMatcher[],
    startsAt: iso(silence.startsAt),
    endsAt: iso(silence.endsAt),
    comment: silence.comment,
    author: silence.author,
    state:
      silence.endsAt <= now
        ? ('expired' as const)
        : silence.startsAt > now
          ? ('pending' as const)
          : ('active' as const),
  };
}
