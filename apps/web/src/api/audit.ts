import type { AuditEventView } from '@candela/contract';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

export type AuditEvent = AuditEventView;

/** What narrows the list; an absent one narrows nothing. */
export interface AuditFilter {
  readonly action?: string;
  readonly objectKind?: string;
  readonly objectId?: string;
  readonly actorId?: string;
}

const PAGE = 50;

/** Who did what in the organisation since `from`, latest first. */
export const auditQuery = (range: { from: string; to: string }, filter: AuditFilter) =>
  pagesOf(['audit', range, filter], ({ cursor }, signal) =>
    call('listAuditEvents', { query: { ...range, limit: PAGE, ...filter, cursor }, signal }),
  );
