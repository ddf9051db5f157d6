import type { ClientOrigin, Principal, RequestContext } from '@candela/kernel';
import type { AuditDetails, Repositories } from '@candela/metadata-store';

/** What happened: `action` is `<thing>.<verb in the infinitive>`, such as `view.create` or `session.sign-in`. */
export interface AuditEntry {
  readonly action: `${string}.${string}`;
  readonly objectKind: string;
  readonly objectId: string | null;
  /** What a person wants to know about it later. Never a secret: no password, no token, no value of the vault. */
  readonly details?: AuditDetails;
}

/**
 * Who did it. Every {@link RequestContext} is one; routes without a context (sign-in, the setup link) say it
 * themselves, and work of the platform itself is `system`.
 */
export interface AuditActor {
  readonly principal:
    | (Pick<Principal, 'kind'> & { readonly id?: string; readonly name?: string })
    | { readonly kind: 'system' };
  /** Null while it is not known: somebody tried to sign in to an account that does not exist. */
  readonly organisationId: string | null;
  readonly projectId?: string;
  readonly requestId: string;
  readonly client?: ClientOrigin;
  /** What the actor is called at the moment: an e-mail address. */
  readonly name?: string;
}

const MAX_FIELDS = 30;
const MAX_LIST = 50;
const MAX_TEXT = 500;
/** Names that secrets go by. A caller that uses one has made a mistake, which its tests are to show. */
const SECRET_NAME =
  /^(?:password|secret|token|apiKey|value|hash|code|recoveryCodes)$|(?:Password|Secret|Token|Hash)$/;

/**
 * Notes who did what, in the transaction that does it: either both are kept or neither. Called within
 * `metadata.change(call, (repositories) => …)` with those repositories, by every mutation and every read of a secret.
 */
export async function record(
  repositories: Pick<Repositories, 'audit'>,
  actor: AuditActor | RequestContext,
  entry: AuditEntry,
): Promise<void> {
  const { principal, client } = actor;
  await repositories.audit.append({
    organisationId: actor.organisationId,
    projectId: actor.projectId ?? null,
    actorKind: principal.kind,
    actorId: 'id' in principal ? (principal.id ?? null) : null,
    actorName: nameOf(actor),
    action: entry.action,
    objectKind: entry.objectKind,
    objectId: entry.objectId === null ? null : plain(entry.objectId),
    details: bounded(entry.details ?? {}),
    address: client === undefined ? null : plain(client.address),
    userAgent: client?.userAgent === undefined ? null : plain(client.userAgent),
    requestId: actor.requestId,
  });
}

function nameOf(actor: AuditActor | RequestContext): string | null {
  const { principal } = actor;
  const own = 'name' in actor ? actor.name : undefined;
  const name = own ?? ('name' in principal ? principal.name : undefined);
  return name === undefined ? null : plain(name);
}

/** Who does it, as a person reads it beside what they made: an e-mail address, the name of a key. */
export function actorName({ principal }: RequestContext): string {
  if (principal.kind === 'anonymous') return 'anonymous';
  return plain(principal.name ?? principal.id);
}

/** A text as it is kept: bounded, and without characters that only confuse whoever reads it. */
function plain(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll(/\p{Cc}|\p{Cs}/gu, '\u{fffd}');
}

function bounded(details: AuditDetails): AuditDetails {
  const fields = Object.entries(details).slice(0, MAX_FIELDS);
  const secret = fields.find(([name]) => SECRET_NAME.test(name));
  if (secret !== undefined) throw new Error(`Details of the audit log hold no "${secret[0]}".`);
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (typeof value === 'string') return [name, plain(value)];
      const list = typeof value === 'object' && value !== null;
      return [name, list ? value.slice(0, MAX_LIST).map(plain) : value];
    }),
  );
}
