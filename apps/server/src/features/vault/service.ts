import {
  type BodyOf,
  type QueryOf,
  type Secret,
  secretKeyOf,
  secretKeyProblem,
  type SecretVersion,
  VAULT_LIMITS,
  type VAULT_ROUTES,
} from '@candela/contract';
import { DEFAULT_PROJECT_ID, fail, type RequestContext } from '@candela/kernel';
import type {
  Call,
  MetadataStore,
  Repositories,
  SecretChanges,
  StorageScope,
  StoredSecret,
} from '@candela/metadata-store';
import type { Envelope } from '@candela/vault';
import { type AuditActor, type AuditEntry, record } from '../audit/service.ts';
import { BOOTSTRAP_KEY_ID } from '../identity/service.ts';
import { AuditQueue } from './audit-queue.ts';
import { openValue, sealValue } from './values.ts';

export interface VaultParts {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
}

type Routes = typeof VAULT_ROUTES;
type Page = { readonly secrets: Secret[]; readonly next: string | undefined };

const iso = (ms: number): string => new Date(ms).toISOString();
const show = (secret: StoredSecret): Secret => ({
  id: secret.id,
  key: secret.key,
  tags: [...secret.tags],
  grants: secret.grants === null ? null : [...secret.grants],
  version: secret.version,
  revision: secret.revision,
  bytes: secret.bytes,
  createdAt: iso(secret.createdAt),
  createdBy: secret.createdBy,
  updatedAt: iso(secret.updatedAt),
  updatedBy: secret.updatedBy,
});
const nameOf = ({ principal }: RequestContext): string | null =>
  principal.kind === 'anonymous' ? null : (principal.name ?? null);
const entry = (verb: string, { id, key }: StoredSecret, details: AuditEntry['details'] = {}): AuditEntry => ({
  action: `secret.${verb}`,
  objectKind: 'secret',
  objectId: id,
  details: { name: key, ...details },
});
const bytesOf = (value: string): number => Buffer.byteLength(value);

/** Keys and applications read what they were granted; people were let in by their role. */
const readerOf = ({ principal }: RequestContext): string | undefined =>
  principal.kind === 'user' ? undefined : principal.kind === 'key' ? principal.id : '';

/** A key knows of no secret but those that it was granted. @throws not_found */
async function granted(
  { vaultSecrets }: Pick<Repositories, 'vaultSecrets'>,
  context: RequestContext,
  id: string,
): Promise<StoredSecret> {
  const secret = await vaultSecrets.get(context, id);
  const reader = readerOf(context);
  if (reader === undefined || secret.grants === null || secret.grants.includes(reader)) return secret;
  throw fail('not_found', { what: 'The secret' });
}

/** How an application counts as a reader. */
const APPLICATION = 'oauth:';

/** Grants name keys and applications of this project. @throws refused */
async function requireReaders(
  { keys, oauthClients }: Pick<Repositories, 'keys' | 'oauthClients'>,
  { organisationId, projectId }: RequestContext,
  grants: readonly string[] | null | undefined,
): Promise<void> {
  if (grants === null || grants === undefined) return;
  const known = new Set(await keys.existing(projectId, grants));
  if (projectId === DEFAULT_PROJECT_ID) known.add(BOOTSTRAP_KEY_ID);
  for (const id of grants) {
    if (known.has(id)) continue;
    const client = id.startsWith(APPLICATION)
      ? await oauthClients.get(id.slice(APPLICATION.length))
      : undefined;
    if (client?.organisationId === organisationId && client.projectId === projectId) continue;
    throw fail('refused', {
      detail: `Neither an API key nor an application of this project has the id ${JSON.stringify(id)}. Take ids from the list of keys; those of applications begin with "${APPLICATION}".`,
    });
  }
}

/** Secrets of a place: what people see and change of them, and what applications fetch. Every read leaves a row. */
export function createVault({ metadata, envelope }: VaultParts) {
  const audit = new AuditQueue(metadata);

  return {
    async list(context: RequestContext, query: QueryOf<Routes['listSecrets']>, after: string | undefined) {
      const { secrets, next } = await metadata.vaultSecrets.list(context, {
        search: query.search,
        tags: query.tag === undefined ? undefined : [query.tag],
        reader: readerOf(context),
        limit: query.limit,
        after,
      });
      const page: Page = { secrets: secrets.map(show), next };
      return page;
    },

    async get(context: RequestContext, id: string): Promise<Secret> {
      return show(await granted(metadata, context, id));
    },

    async history(context: RequestContext, id: string): Promise<SecretVersion[]> {
      const { version: current } = await granted(metadata, context, id);
      const versions = await metadata.vaultSecrets.history(context, id);
      return versions.map(({ version, bytes, createdBy, createdAt }) => ({
        version,
        current: version === current,
        bytes,
        createdBy,
        createdAt: iso(createdAt),
      }));
    },

    create(
      context: RequestContext,
      { key, value, tags, grants }: BodyOf<Routes['createSecret']>,
      call: Call | undefined,
    ): Promise<Secret> {
      const id = crypto.randomUUID();
      const sealed = sealValue(envelope, context, { id, key, version: 1, value });
      return metadata.change(call, async (repositories) => {
        await requireReaders(repositories, context, grants);
        const made = await repositories.vaultSecrets.create(
          context,
          { id, key, tags, grants, sealed, bytes: bytesOf(value) },
          nameOf(context),
        );
        await record(repositories, context, entry('create', made, { tags, grants }));
        return show(made);
      });
    },

    update(
      context: RequestContext,
      id: string,
      { revision, value, tags, grants }: BodyOf<Routes['updateSecret']>,
      call: Call | undefined,
    ): Promise<Secret> {
      return metadata.change(call, async (repositories) => {
        const before = await granted(repositories, context, id);
        if (grants !== undefined && readerOf(context) !== undefined) {
          throw fail('forbidden', {
            detail: 'Who may read a secret is changed by an admin who is signed in, not by an API key.',
          });
        }
        await requireReaders(repositories, context, grants);
        const version = before.lastVersion + 1;
        const changes: SecretChanges = {
          ...(tags === undefined ? {} : { tags }),
          ...(grants === undefined ? {} : { grants }),
          ...(value === undefined
            ? {}
            : {
                next: {
                  sealed: sealValue(envelope, context, { ...before, version, value }),
                  bytes: bytesOf(value),
                },
              }),
        };
        const input = { revision, changes, by: nameOf(context) };
        const { secret, dropped } = await repositories.vaultSecrets.update(context, id, input);
        await record(
          repositories,
          context,
          entry('update', secret, {
            changed: [
              ...(value === undefined ? [] : ['value']),
              ...(tags === undefined ? [] : ['tags']),
              ...(grants === undefined ? [] : ['grants']),
            ],
            version: secret.version,
            ...(grants === undefined ? {} : { grants }),
            ...(dropped.length === 0 ? {} : { versionsDropped: dropped.map(String) }),
          }),
        );
        return show(secret);
      });
    },

    delete(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      return metadata.change(call, async (repositories) => {
        const secret = await granted(repositories, context, id);
        await repositories.vaultSecrets.delete(context, id);
        await record(repositories, context, entry('delete', secret));
        return { id };
      });
    },

    /** A former value as the newest version. */
    restore(
      context: RequestContext,
      id: string,
      { revision, version }: BodyOf<Routes['restoreSecret']>,
      call: Call | undefined,
    ): Promise<Secret> {
      return metadata.change(call, async (repositories) => {
        const before = await repositories.vaultSecrets.get(context, id);
        const former = await repositories.vaultSecrets.version(context, id, version);
        const value = openValue(envelope, context, { ...before, version, sealed: former.sealed });
        const next = {
          sealed: sealValue(envelope, context, { ...before, version: before.lastVersion + 1, value }),
          bytes: former.bytes,
        };
        const input = { revision, changes: { next }, by: nameOf(context) };
        const { secret, dropped } = await repositories.vaultSecrets.update(context, id, input);
        await record(
          repositories,
          context,
          entry('restore', secret, {
            from: version,
            version: secret.version,
            ...(dropped.length === 0 ? {} : { versionsDropped: dropped.map(String) }),
          }),
        );
        return show(secret);
      });
    },

    /** The value, for a person to look at. The row of the audit log is kept before it is opened. */
    async reveal(
      context: RequestContext,
      id: string,
      asked: number | undefined,
    ): Promise<{ key: string; version: number; value: string }> {
      const { secret, stored } = await metadata.change(undefined, async (repositories) => {
        const found = await repositories.vaultSecrets.get(context, id);
        const version = await repositories.vaultSecrets.version(context, id, asked ?? found.version);
        await record(repositories, context, entry('reveal', found, { version: version.version }));
        return { secret: found, stored: version };
      });
      const { version, sealed } = stored;
      return {
        key: secret.key,
        version,
        value: openValue(envelope, context, { ...secret, version, sealed }),
      };
    },

    /** Values by name for an application, all that fit or an error. One row of the audit log before any is opened. */
    async fetch(
      context: RequestContext,
      { key, tags: given, source }: Omit<BodyOf<Routes['getSecrets']>, 'metaProperties'>,
    ): Promise<Record<string, string>> {
      // What is empty is as good as left out: that is how shipped libraries say it.
      const wanted = key === undefined || key === null || key.trim() === '' ? undefined : secretKeyOf(key);
      const tags = given === undefined || given === null || given.length === 0 ? undefined : given;
      const none = wanted !== undefined && secretKeyProblem(wanted) !== undefined;
      const { secrets, next } = none
        ? { secrets: [], next: undefined }
        : await metadata.vaultSecrets.list(context, {
            search: undefined,
            key: wanted,
            tags,
            reader: readerOf(context),
            limit: VAULT_LIMITS.fetched,
            after: undefined,
          });
      const bytes = secrets.reduce((sum, secret) => sum + secret.bytes, 0);
      if (next !== undefined || bytes > VAULT_LIMITS.fetchedBytes) {
        throw fail('refused', {
          detail: `More than ${VAULT_LIMITS.fetched} secrets, or ${VAULT_LIMITS.fetchedBytes} bytes of them, fit. Name a key or tags.`,
        });
      }
      const [only] = secrets;
      await audit.write(context, {
        action: 'secret.fetch',
        objectKind: 'secret',
        objectId: secrets.length === 1 && only !== undefined ? only.id : null,
        details: {
          count: secrets.length,
          names: secrets.map((secret) => secret.key),
          ...(wanted === undefined ? {} : { asked: wanted }),
          ...(tags === undefined ? {} : { tags }),
          ...(source === undefined || source === null ? {} : { source }),
        },
      });
      const values = await metadata.vaultSecrets.current(
        context,
        secrets.map(({ id }) => id),
      );
      const named = secrets.flatMap((secret): [string, string][] => {
        const stored = values.get(secret.id);
        // Deleted meanwhile.
        if (stored === undefined) return [];
        const { version, sealed } = stored;
        return [[secret.key, openValue(envelope, context, { ...secret, version, sealed })]];
      });
      return Object.fromEntries(named);
    },

    /**
     * A value for a feature of the platform itself that was given the id of a secret. `purpose` is for the audit log.
     * @throws not_found, secret_unreadable
     */
    async use(
      actor: AuditActor | RequestContext,
      place: StorageScope,
      { id, purpose }: { readonly id: string; readonly purpose: string },
    ): Promise<string> {
      const secret = await metadata.vaultSecrets.get(place, id);
      // Both before it is opened: nobody gets a secret of whose use there is no row.
      const [stored] = await Promise.all([
        metadata.vaultSecrets.version(place, id, secret.version),
        audit.write(actor, entry('use', secret, { purpose, version: secret.version })),
      ]);
      return openValue(envelope, place, { ...secret, version: stored.version, sealed: stored.sealed });
    },
  };
}

export type Vault = ReturnType<typeof createVault>;
