import { textParam } from '../../lib/search-params.ts';

/** What narrows the audit log, in the address. */
export interface AuditSearch {
  action?: string;
  objectKind?: string;
  objectId?: string;
  actorId?: string;
}

export const AUDIT_FILTERS = [
  { name: 'action', label: 'Action', placeholder: 'Action, e.g. api-key.create' },
  { name: 'objectKind', label: 'Kind of object', placeholder: 'Kind of object, e.g. project' },
  { name: 'objectId', label: 'Id of the object', placeholder: 'Id of the object' },
  { name: 'actorId', label: 'Id of the actor', placeholder: 'Id of who did it' },
] as const satisfies readonly { name: keyof AuditSearch; label: string; placeholder: string }[];

export function validateAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const search: AuditSearch = {};
  for (const { name } of AUDIT_FILTERS) {
    const text = textParam(raw, name, 500);
    if (text !== undefined) search[name] = text;
  }
  return search;
}
