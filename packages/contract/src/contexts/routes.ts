import { z } from 'zod';
import { idSchema, nextCursor, pagingShape } from '../identity/common.ts';
import { defineRoute, reads, writes } from '../route.ts';
import { activeStatus, expectedRevision, spelled } from '../rules/liberal.ts';
import {
  CONTEXT_SPELLINGS,
  contextInputShape,
  contextSchema,
  contextSummarySchema,
  contextVersionSchema,
  contextVersionSummarySchema,
} from './schemas.ts';

const id = z.object({ id: idSchema });
const versionNumber = z.coerce.number().int().min(1).max(1_000_000_000);
const one = z.object({ data: contextSchema });
const common = ['metadata_unavailable'] as const;
const shared = { tag: 'Contexts', storage: 'platform' } as const;

const listContexts = defineRoute({
  ...shared,
  id: 'listContexts',
  method: 'GET',
  path: '/api/context',
  summary: 'Contexts by name, with the beginning of their content',
  permission: reads('rule_engine'),
  query: z.strictObject({
    ...pagingShape,
    q: z.string().max(200).optional().meta({ description: 'Text in name, description or a tag.' }),
    status: activeStatus.optional(),
  }),
  response: z.object({ data: z.array(contextSummarySchema), nextCursor }),
  errors: ['bad_query', ...common],
});

const createContext = defineRoute({
  ...shared,
  id: 'createContext',
  method: 'POST',
  path: '/api/context',
  summary: 'Saves a context',
  permission: writes('rule_engine'),
  success: 201,
  body: spelled(z.strictObject(contextInputShape), CONTEXT_SPELLINGS),
  response: one,
  errors: ['conflict', 'refused', ...common],
});

const getContext = defineRoute({
  ...shared,
  id: 'getContext',
  method: 'GET',
  path: '/api/context/{id}',
  summary: 'One context, with the rules that hand it out',
  permission: reads('rule_engine'),
  params: id,
  response: one,
  errors: ['not_found', ...common],
});

const replaceContext = defineRoute({
  ...shared,
  id: 'replaceContext',
  method: 'PUT',
  path: '/api/context/{id}',
  summary: 'Replaces a context whole; other content, tags or meta properties make a new version',
  permission: writes('rule_engine'),
  params: id,
  body: spelled(z.strictObject({ ...contextInputShape, revision: expectedRevision }), CONTEXT_SPELLINGS),
  response: one,
  errors: ['not_found', 'conflict', ...common],
});

const deleteContext = defineRoute({
  ...shared,
  id: 'deleteContext',
  method: 'DELETE',
  path: '/api/context/{id}',
  summary: 'Deletes a context with its versions; links of rules that hand it out lead nowhere then',
  permission: writes('rule_engine'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

const listContextVersions = defineRoute({
  ...shared,
  id: 'listContextVersions',
  method: 'GET',
  path: '/api/context/{id}/versions',
  summary: 'Versions of a context, newest first; the oldest beyond 200 are not kept',
  permission: reads('rule_engine'),
  params: id,
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(contextVersionSummarySchema), nextCursor }),
  errors: ['not_found', 'bad_query', ...common],
});

const getContextVersion = defineRoute({
  ...shared,
  id: 'getContextVersion',
  method: 'GET',
  path: '/api/context/{id}/versions/{version}',
  summary: 'One version of a context, whole',
  permission: reads('rule_engine'),
  params: z.object({ id: idSchema, version: versionNumber }),
  response: z.object({ data: contextVersionSchema }),
  errors: ['not_found', ...common],
});

const restoreContextVersion = defineRoute({
  ...shared,
  id: 'restoreContextVersion',
  method: 'POST',
  path: '/api/context/{id}/restore',
  summary: 'Makes content, tags and meta properties of an earlier version the newest one',
  permission: writes('rule_engine'),
  params: id,
  body: z.strictObject({ version: versionNumber, revision: expectedRevision }),
  response: one,
  errors: ['not_found', 'conflict', ...common],
});

/** Contexts: texts that rules hand to applications. */
export const CONTEXT_ROUTES = {
  listContexts,
  createContext,
  getContext,
  replaceContext,
  deleteContext,
  listContextVersions,
  getContextVersion,
  restoreContextVersion,
} as const;
