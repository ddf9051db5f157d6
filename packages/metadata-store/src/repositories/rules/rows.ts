import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { RuleLinkTable, RuleTable } from '../../tables/rules.ts';
import { nameKeyOf } from '../storage-scope.ts';
import type { ActiveStatus, LinkedKind, RuleDocument, StoredRule, StoredRuleLink } from './types.ts';

export const statusOf = (text: string): ActiveStatus => (text === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE');

export const missing = () => fail('not_found', { what: 'The rule' });

function definitionOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const toRule = (row: Selectable<RuleTable>, links: readonly StoredRuleLink[]): StoredRule => ({
  id: row.id,
  name: row.name,
  description: row.description,
  definition: definitionOf(row.definition),
  status: statusOf(row.status),
  priority: row.priority,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedBy: row.updated_by,
  updatedAt: Number(row.updated_at),
  links,
});

export const columnsOf = ({ name, description, definition, status, priority }: RuleDocument) => ({
  name,
  name_key: nameKeyOf(name),
  description,
  search_key: nameKeyOf(`${name}\n${description}`),
  definition: JSON.stringify(definition),
  status,
  priority,
});

export const toLink = (row: Selectable<RuleLinkTable>): StoredRuleLink => ({
  id: row.id,
  ruleId: row.rule_id,
  entityType: row.entity_type as LinkedKind,
  entityId: row.entity_id,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
});

/** A rule beside one of its links; without links one row of it, in which they are null. */
interface JoinedRow extends Selectable<RuleTable> {
  readonly link_id: string | null;
  readonly entity_type: string | null;
  readonly entity_id: string | null;
  readonly linked_by: string | null;
  readonly linked_at: number | null;
}

/** The rules of such rows, in their order. */
export function ruled(rows: readonly JoinedRow[]): StoredRule[] {
  const rules = new Map<string, { readonly row: JoinedRow; readonly links: StoredRuleLink[] }>();
  for (const row of rows) {
    const rule = rules.get(row.id) ?? { row, links: [] };
    rules.set(row.id, rule);
    if (row.link_id === null || row.entity_type === null || row.entity_id === null) continue;
    rule.links.push({
      id: row.link_id,
      ruleId: row.id,
      entityType: row.entity_type as LinkedKind,
      entityId: row.entity_id,
      createdBy: row.linked_by ?? '',
      createdAt: Number(row.linked_at),
    });
  }
  return Array.from(rules.values(), ({ row, links }) => toRule(row, links));
}

/** Ids of one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
export const IDS_AT_ONCE = 500;
