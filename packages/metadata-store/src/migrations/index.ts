import { savedViews } from './0001-saved-views.ts';
import { auditLog } from './0002-audit-log.ts';
import { identity } from './0003-identity.ts';
import { oauth } from './0004-oauth.ts';
import { connectors } from './0005-connectors.ts';
import { rules } from './0006-rules.ts';
import { models } from './0007-models.ts';
import { prompts } from './0008-prompts.ts';
import { vault } from './0009-vault.ts';
import { jobs } from './0010-jobs.ts';
import { llmUsage } from './0011-llm-usage.ts';
import { boards } from './0012-boards.ts';
import { scanners } from './0013-scanners.ts';
import { chats } from './0014-chats.ts';
import { customPrices } from './0015-custom-prices.ts';
import { judging } from './0016-judging.ts';
import { alerts } from './0017-alerts.ts';
import { codingDisputes } from './0018-coding-disputes.ts';
import { exceptionTriage } from './0019-exception-triage.ts';
import { chatPrompts } from './0020-chat-prompts.ts';
import { controllers } from './0021-controllers.ts';
import { fleet } from './0022-fleet.ts';
import { media } from './0023-media.ts';
import { mediaUses } from './0024-media-uses.ts';
import type { Migration } from './migration.ts';

/** All migrations in order; the registry. */
export const MIGRATIONS: readonly Migration[] = [
  savedViews,
  auditLog,
  identity,
  oauth,
  connectors,
  rules,
  models,
  prompts,
  vault,
  jobs,
  llmUsage,
  boards,
  scanners,
  chats,
  customPrices,
  judging,
  alerts,
  codingDisputes,
  exceptionTriage,
  chatPrompts,
  controllers,
  fleet,
  media,
  mediaUses,
];
