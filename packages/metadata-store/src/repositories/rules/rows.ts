import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { RuleLinkTable, RuleTable } from '../../tables/rules.ts';
import { nameKeyOf } from '../storage-place.ts';
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
