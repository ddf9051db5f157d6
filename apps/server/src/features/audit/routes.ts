import type { AuditEventView } from '@candela/contract';
import { type Clock, fail, parseTime } from '@candela/kernel';
import type { AuditEvent, AuditPlace, MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';

/** The audit log of the organisation, for its admins. */
export function auditHandlers(metadata: MetadataStore, clock: Clock): Pick<Handlers, 'listAuditEvents'> {
  return {
    listAuditEvents: async ({ context, query }) => {
      const { limit, cursor, from, to, ...filter } = query;
      const now = clock.now();
      const { events, next } = await metadata.audit.list(context.organisationId, {
        ...filter,
        from: from === undefined ? undefined : point('from', from, now),
        to: to === undefined ? undefined : point('to', to, now),
        limit,
        after: cursor === undefined ? undefined : readCursor(cursor),
      });
      return { data: events.map(show), nextCursor: next === undefined ? null : writeCursor(next) };
    },
  };
}

function show({ organisationId: _own, at, ...event }: AuditEvent): AuditEventView {
  const details = Object.entries(event.details).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...(value as readonly string[])] : value,
  ]);
  return { ...event, at: new Date(at).toISOString(), details: Object.fromEntries(details) };
}

function point(name: string, value: string | number, now: number): number {
  const ms = parseTime(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value, now);
  if (ms === undefined || !Number.isSafeInteger(Math.floor(ms))) {
    throw fail('bad_query', {
      detail: `"${name}" is not a time. Use ISO 8601 (2026-11-20T10:00:00Z), "-24h", "now" or epoch milliseconds.`,
    });
  }
  return Math.floor(ms);
}

const writeCursor = ({ at, id }: AuditPlace): string =>
  Buffer.from(JSON.stringify([at, id])).toString('base64url');

function readCursor(text: string): AuditPlace {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    parts = undefined;
  }
  const [at, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || typeof id !== 'string') {
    throw fail('bad_query', { detail: 'The cursor does not belong to this list. Start again without one.' });
  }
  return { at, id };
}
