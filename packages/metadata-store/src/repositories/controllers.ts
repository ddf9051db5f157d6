import { fail } from '@candela/kernel';
import type { Access } from './access.ts';
import {
  type ControllerReport,
  type ControllerScope,
  type DesiredState,
  type NewControllerAction,
  type StoredController,
  type StoredControllerAction,
  type StoredControllerToken,
  toAction,
  toController,
  toToken,
} from './controller-rows.ts';

/** What concerns the same switch: the tap, or the SDK. */
const MATTERS = [
  ['instrument', 'uninstrument'],
  ['enable_sdk', 'disable_sdk'],
] as const;
const sameMatter = (type: string): readonly string[] =>
  MATTERS.find((types) => types.some((one) => one === type)) ?? [type];
const OPEN = ['pending', 'leased', 'running'] as const;
const KEPT_MS = 30 * 86_400_000;
const MAX_INSTANCES = 2_000;
const missing = (what: string) => fail('not_found', { what });

/** Controllers of a project, their enrolment, what is wanted of workloads, and actions with a lease. */
export function controllers({ database, quiet, clock }: Access) {
  const instances = ({ projectId, environment }: ControllerScope) => {
    const rows = database.selectFrom('controller_instances').selectAll().where('project_id', '=', projectId);
    return environment === undefined ? rows : rows.where('environment', '=', environment);
  };
  const actionRows = (instanceId: string) =>
    database.selectFrom('controller_actions').selectAll().where('instance_id', '=', instanceId);

  return {
    /** Those heard of last come first. */
    list: async (scope: ControllerScope): Promise<StoredController[]> =>
      (
        await instances(scope).orderBy('last_seen_at', 'desc').orderBy('id').limit(MAX_INSTANCES).execute()
      ).map(toController),
    /** @throws not_found */
    async get(scope: ControllerScope, id: string): Promise<StoredController> {
      const row = await instances(scope).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw missing('The controller');
      return toController(row);
    },
    async byName(projectId: string, name: string): Promise<StoredController | undefined> {
      const row = await instances({ projectId, environment: undefined })
        .where('name', '=', name)
        .executeTakeFirst();
      return row && toController(row);
    },
    /** A new one, or one that comes back with another key. @throws refused when there are too many */
    async enrol(report: ControllerReport): Promise<StoredController> {
      const { count } = await database
        .selectFrom('controller_instances')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', report.projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_INSTANCES)
        throw fail('refused', {
          detail: `A project may have ${MAX_INSTANCES} controllers. Remove some first.`,
        });
      const now = clock.now();
      const changing = {
        environment: report.environment,
        cluster: report.cluster,
        key_id: report.keyId,
        revoked: 0,
        facts: report.facts,
        services: report.services,
        last_seen_at: now,
      };
      await database
        .insertInto('controller_instances')
        .values({
          id: crypto.randomUUID(),
          project_id: report.projectId,
          name: report.name,
          ...changing,
          config_hash: '',
          created_at: now,
        })
        .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(changing))
        .execute();
      const row = await instances(report).where('name', '=', report.name).executeTakeFirstOrThrow();
      return toController(row);
    },
    /** What it says of itself; told to no cache. */
    async heard(id: string, { facts, services }: { facts: string; services: string }): Promise<void> {
      await quiet
        .updateTable('controller_instances')
        .set({ facts, services, last_seen_at: clock.now() })
        .where('id', '=', id)
        .execute();
    },
    /** It is let in no more; what it had to do is over. */
    async revoke(id: string): Promise<void> {
      await database.updateTable('controller_instances').set({ revoked: 1 }).where('id', '=', id).execute();
      await database
        .updateTable('controller_actions')
        .set({ state: 'superseded', finished_at: clock.now(), error: 'The controller was revoked.' })
        .where('instance_id', '=', id)
        .where('state', 'in', OPEN)
        .execute();
    },

    tokens: async (projectId: string): Promise<StoredControllerToken[]> =>
      (
        await database
          .selectFrom('controller_tokens')
          .selectAll()
          .where('project_id', '=', projectId)
          .orderBy('created_at', 'desc')
          .orderBy('id')
          .limit(200)
          .execute()
      ).map(toToken),
    async createToken(
      hash: string,
      token: Omit<StoredControllerToken, 'id' | 'uses' | 'createdAt' | 'revokedAt'>,
    ): Promise<StoredControllerToken> {
      const row = {
        id: crypto.randomUUID(),
        organisation_id: token.organisationId,
        project_id: token.projectId,
        environment: token.environment,
        cluster: token.cluster,
        token_hash: hash,
        uses: 0,
        uses_left: token.usesLeft,
        created_by: token.createdBy,
        created_at: clock.now(),
        expires_at: token.expiresAt,
        revoked_at: null,
      };
      await database.insertInto('controller_tokens').values(row).execute();
      return toToken(row);
    },
    /** @throws not_found */
    async revokeToken(projectId: string, id: string): Promise<void> {
      const { numUpdatedRows } = await database
        .updateTable('controller_tokens')
        .set({ revoked_at: clock.now() })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw missing('The enrolment token');
    },
    /** Uses a token once; undefined: unknown, over or used up. */
    async useToken(hash: string): Promise<StoredControllerToken | undefined> {
      const { numUpdatedRows } = await database
        .updateTable('controller_tokens')
        .set(({ eb }) => ({ uses: eb('uses', '+', 1), uses_left: eb('uses_left', '-', 1) }))
        .where('token_hash', '=', hash)
        .where('uses_left', '>', 0)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return undefined;
      const row = await database
        .selectFrom('controller_tokens')
        .selectAll()
        .where('token_hash', '=', hash)
        .executeTakeFirstOrThrow();
      return toToken(row);
    },

    async want(wish: Omit<DesiredState, 'changedAt'>): Promise<void> {
      const changing = {
        enabled: wish.enabled ? 1 : 0,
        content: wish.content ? 1 : 0,
        reason: wish.reason,
        changed_by: wish.changedBy,
        changed_at: clock.now(),
      };
      await database
        .insertInto('controller_desired')
        .values({
          project_id: wish.projectId,
          environment: wish.environment,
          cluster: wish.cluster,
          workload: wish.workload,
          feature: wish.feature,
          ...changing,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['project_id', 'environment', 'cluster', 'workload', 'feature'])
            .doUpdateSet(changing),
        )
        .execute();
    },
    async wanted({ projectId, environment }: ControllerScope): Promise<DesiredState[]> {
      let query = database.selectFrom('controller_desired').selectAll().where('project_id', '=', projectId);
      if (environment !== undefined) query = query.where('environment', '=', environment);
      return (await query.limit(20_000).execute()).map((row) => ({
        projectId: row.project_id,
        environment: row.environment,
        cluster: row.cluster,
        workload: row.workload,
        feature: row.feature === 'agent' ? 'agent' : 'instrumentation',
        enabled: row.enabled === 1,
        content: row.content === 1,
        reason: row.reason,
        changedBy: row.changed_by,
        changedAt: Number(row.changed_at),
      }));
    },

    /** A new action; open ones of the same matter and workload are superseded. A plan takes the place of plans only. */
    async ask(action: NewControllerAction): Promise<StoredControllerAction> {
      const now = clock.now();
      await database
        .updateTable('controller_actions')
        .set({ state: 'superseded', finished_at: now, error: 'A newer action took its place.' })
        .where('instance_id', '=', action.instanceId)
        .where('workload', '=', action.workload)
        .where('type', 'in', sameMatter(action.type))
        .where('state', 'in', OPEN)
        .$if(action.dryRun, (query) => query.where('dry_run', '=', 1))
        .execute();
      await database
        .deleteFrom('controller_actions')
        .where('project_id', '=', action.projectId)
        .where('created_at', '<', now - KEPT_MS)
        .execute();
      const row = {
        id: crypto.randomUUID(),
        project_id: action.projectId,
        instance_id: action.instanceId,
        workload: action.workload,
        type: action.type,
        payload: action.payload,
        dry_run: action.dryRun ? 1 : 0,
        state: 'pending',
        attempt: 0,
        lease_until: null,
        expires_at: action.expiresAt,
        reason: action.reason,
        created_by: action.createdBy,
        created_at: now,
        finished_at: null,
        error: null,
        snapshot: null,
      };
      await database.insertInto('controller_actions').values(row).execute();
      return toAction(row);
    },
    open: async (instanceId: string): Promise<StoredControllerAction[]> =>
      (await actionRows(instanceId).where('state', 'in', OPEN).limit(2_000).execute()).map(toAction),
    /** Newest first. */
    async actions(
      projectId: string,
      page: {
        readonly instanceId?: string | undefined;
        readonly workload?: string | undefined;
        readonly limit: number;
      },
    ): Promise<StoredControllerAction[]> {
      let query = database.selectFrom('controller_actions').selectAll().where('project_id', '=', projectId);
      if (page.instanceId !== undefined) query = query.where('instance_id', '=', page.instanceId);
      if (page.workload !== undefined) query = query.where('workload', '=', page.workload);
      return (await query.orderBy('created_at', 'desc').orderBy('id').limit(page.limit).execute()).map(
        toAction,
      );
    },
    /** Takes what waits, and what a lease ran out of; what is too old expires. At most `limit`, oldest first. */
    async lease(instanceId: string, leaseMs: number, limit: number): Promise<StoredControllerAction[]> {
      const now = clock.now();
      const rows = await actionRows(instanceId)
        .where('state', 'in', OPEN)
        .orderBy('created_at')
        .orderBy('id')
        .limit(2_000)
        .execute();
      const taken: StoredControllerAction[] = [];
      for (const row of rows) {
        if (Number(row.expires_at) <= now) {
          await database
            .updateTable('controller_actions')
            .set({ state: 'expired', finished_at: now, error: 'No controller took it in time.' })
            .where('id', '=', row.id)
            .where('state', 'in', OPEN)
            .execute();
          continue;
        }
        const free = row.state === 'pending' || Number(row.lease_until ?? 0) <= now;
        if (!free || taken.length >= limit) continue;
        const { numUpdatedRows } = await database
          .updateTable('controller_actions')
          .set({ state: 'leased', attempt: row.attempt + 1, lease_until: now + leaseMs })
          .where('id', '=', row.id)
          .where('attempt', '=', row.attempt)
          .where('state', 'in', OPEN)
          .executeTakeFirst();
        if (numUpdatedRows === 1n)
          taken.push(
            toAction({ ...row, state: 'leased', attempt: row.attempt + 1, lease_until: now + leaseMs }),
          );
      }
      return taken;
    },
    /** What became of one; a second telling changes nothing. True: it was open until now. */
    async end(
      instanceId: string,
      id: string,
      result: {
        readonly state: 'running' | 'succeeded' | 'failed';
        readonly error: string | null;
        readonly snapshot: string | null;
      },
    ): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('controller_actions')
        .set({
          state: result.state,
          error: result.error,
          snapshot: result.snapshot,
          finished_at: result.state === 'running' ? null : clock.now(),
        })
        .where('id', '=', id)
        .where('instance_id', '=', instanceId)
        .where('state', 'in', OPEN)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async config(projectId: string): Promise<string | undefined> {
      const row = await database
        .selectFrom('controller_config')
        .select('config')
        .where('project_id', '=', projectId)
        .executeTakeFirst();
      return row?.config;
    },
    async setConfig(projectId: string, config: string): Promise<void> {
      await database
        .insertInto('controller_config')
        .values({ project_id: projectId, config })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ config }))
        .execute();
    },
  };
}
