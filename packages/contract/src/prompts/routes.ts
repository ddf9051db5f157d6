import { z } from 'zod';
import { idSchema, nextCursor, pagingShape } from '../identity/common.ts';
import { defineRoute, manages, reads, writes } from '../route.ts';
import { timeSchema } from '../telemetry/common.ts';
import { callShape, messagesSchema } from './chat.ts';
import { getCompiledPrompt } from './compiled.ts';
import { textOfMessages } from './messages.ts';
import {
  bumpSchema,
  labelSchema,
  PROMPT_LIMITS,
  promptDiffSchema,
  promptMetaSchema,
  promptNameSchema,
  promptSchema,
  promptSummarySchema,
  promptTagsSchema,
  promptTextSchema,
  promptUsageSchema,
  protectedLabelsSchema,
  selectorSchema,
  versionSchema,
  versionSummarySchema,
} from './schemas.ts';

const tag = 'Prompts';
const storage = 'platform';
const errors = ['metadata_unavailable'] as const;
const params = z.object({ id: idSchema });
const one = z.object({ data: promptSchema });
const revision = z
  .int()
  .min(0)
  .optional()
  .meta({ description: '`revision` of the prompt as it was read; another one by now is a conflict.' });

/** A text, or the messages of a chat: of these the text follows. */
const said = {
  prompt: promptTextSchema
    .optional()
    .meta({ description: 'Placeholders are `{{name}}`. Left out where there are `messages`.' }),
  messages: messagesSchema.optional().meta({ description: 'A chat prompt: instead of `prompt`.' }),
};
const leftOut = { description: 'Left out: as they are.' };

/** Puts the text of the messages in their place. */
function withText<
  Body extends { prompt?: string | undefined; messages?: z.output<typeof messagesSchema> | undefined },
>(body: Body, issues: z.core.ParsePayload<Body>): Body & { prompt: string } {
  const refuse = (message: string) => {
    issues.issues.push({ code: 'custom', message, input: body, path: ['prompt'] });
    return { ...body, prompt: '' };
  };
  if (body.messages === undefined) {
    return body.prompt === undefined
      ? refuse('Send "prompt", a text, or "messages", those of a chat.')
      : { ...body, prompt: body.prompt };
  }
  if (body.prompt !== undefined) return refuse('Send either "prompt" or "messages".');
  const text = promptTextSchema.safeParse(textOfMessages(body.messages));
  return text.success
    ? { ...body, prompt: text.data }
    : refuse(text.error.issues[0]?.message ?? 'The messages are no prompt.');
}

const listPrompts = defineRoute({
  id: 'listPrompts',
  method: 'GET',
  path: '/api/prompt',
  tag,
  storage,
  summary: 'Prompts by name',
  permission: reads('prompts'),
  query: z.strictObject({
    q: z.string().trim().max(100).optional().meta({ description: 'A part of the name.' }),
    tag: z.string().trim().min(1).max(PROMPT_LIMITS.tag).optional(),
    ...pagingShape,
  }),
  response: z.object({ data: z.array(promptSummarySchema), nextCursor }),
  errors: ['bad_query', ...errors],
});

const createPrompt = defineRoute({
  id: 'createPrompt',
  method: 'POST',
  path: '/api/prompt',
  tag,
  storage,
  summary: 'Makes a prompt with a draft, or with a first version when `publish` says which',
  permission: writes('prompts'),
  success: 201,
  body: z
    .strictObject({
      name: promptNameSchema,
      ...said,
      ...callShape,
      tags: promptTagsSchema.default([]),
      metaProperties: promptMetaSchema.default({}),
      publish: bumpSchema.optional(),
    })
    .transform(withText),
  response: one,
  errors: ['conflict', 'refused', ...errors],
});

const getPrompt = defineRoute({
  id: 'getPrompt',
  method: 'GET',
  path: '/api/prompt/{id}',
  tag,
  storage,
  summary: 'A prompt with its draft, its newest version and its labels',
  permission: reads('prompts'),
  params,
  response: one,
  errors: ['not_found', ...errors],
});

const deletePrompt = defineRoute({
  id: 'deletePrompt',
  method: 'DELETE',
  path: '/api/prompt/{id}',
  tag,
  storage,
  summary: 'Deletes a prompt with all of its versions',
  permission: writes('prompts'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'forbidden', ...errors],
});

const listPromptVersions = defineRoute({
  id: 'listPromptVersions',
  method: 'GET',
  path: '/api/prompt/{id}/versions',
  tag,
  storage,
  summary: 'Published versions without their texts, newest first',
  permission: reads('prompts'),
  params,
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(versionSummarySchema), nextCursor }),
  errors: ['not_found', 'bad_query', ...errors],
});

const getPromptVersion = defineRoute({
  id: 'getPromptVersion',
  method: 'GET',
  path: '/api/prompt/{id}/versions/{version}',
  tag,
  storage,
  summary: 'One version with its text; `latest`, a label, a range and `draft` are found too',
  permission: reads('prompts'),
  params: z.object({ id: idSchema, version: selectorSchema }),
  response: z.object({ data: versionSchema }),
  errors: ['not_found', ...errors],
});

const diffPrompt = defineRoute({
  id: 'diffPrompt',
  method: 'GET',
  path: '/api/prompt/{id}/diff',
  tag,
  storage,
  summary: 'What changed from one version to another',
  permission: reads('prompts'),
  params,
  query: z.strictObject({ from: selectorSchema, to: selectorSchema }),
  response: z.object({ data: promptDiffSchema }),
  errors: ['not_found', ...errors],
});

const savePromptDraft = defineRoute({
  id: 'savePromptDraft',
  method: 'PUT',
  path: '/api/prompt/{id}/draft',
  tag,
  storage,
  summary: 'Saves the draft whole; published versions never change',
  permission: writes('prompts'),
  params,
  body: z
    .strictObject({
      ...said,
      modelSettings: callShape.modelSettings.meta(leftOut),
      tools: callShape.tools.meta(leftOut),
      responseFormat: callShape.responseFormat.meta(leftOut),
      tags: promptTagsSchema.optional().meta(leftOut),
      metaProperties: promptMetaSchema.optional().meta(leftOut),
      revision,
    })
    .transform(withText),
  response: one,
  errors: ['not_found', 'conflict', ...errors],
});

const discardPromptDraft = defineRoute({
  id: 'discardPromptDraft',
  method: 'DELETE',
  path: '/api/prompt/{id}/draft',
  tag,
  storage,
  summary: 'Throws the draft away; a prompt without a published version is deleted instead',
  permission: writes('prompts'),
  params,
  response: one,
  errors: ['not_found', 'refused', ...errors],
});

const publishPrompt = defineRoute({
  id: 'publishPrompt',
  method: 'POST',
  path: '/api/prompt/{id}/publish',
  tag,
  storage,
  summary: 'Publishes the draft as the version that follows the newest one',
  permission: writes('prompts'),
  params,
  body: z.strictObject({ bump: bumpSchema, revision }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...errors],
});

const setPromptLabel = defineRoute({
  id: 'setPromptLabel',
  method: 'POST',
  path: '/api/prompt/{id}/labels',
  tag,
  storage,
  summary: 'Puts a label on a version, or moves it there: moving it back is the rollback',
  permission: writes('prompts'),
  params,
  body: z.strictObject({
    label: labelSchema,
    version: selectorSchema.meta({ description: 'A published version, `latest`, another label or a range.' }),
  }),
  response: one,
  errors: ['not_found', 'refused', 'forbidden', ...errors],
});

const removePromptLabel = defineRoute({
  id: 'removePromptLabel',
  method: 'DELETE',
  path: '/api/prompt/{id}/labels/{label}',
  tag,
  storage,
  summary: 'Takes a label away; whoever asks for it is told that there is none',
  permission: writes('prompts'),
  params: z.object({ id: idSchema, label: z.string().min(1).max(60) }),
  response: one,
  errors: ['not_found', 'forbidden', ...errors],
});

const getProtectedLabels = defineRoute({
  id: 'getProtectedLabels',
  method: 'GET',
  path: '/api/prompt/protected-labels',
  tag,
  storage,
  summary: 'Labels that only admins and owners move or take away',
  permission: reads('prompts'),
  response: z.object({ data: protectedLabelsSchema }),
  errors,
});

const setProtectedLabels = defineRoute({
  id: 'setProtectedLabels',
  method: 'PUT',
  path: '/api/prompt/protected-labels',
  tag,
  storage,
  summary: 'Says which labels are protected, in every prompt of the project',
  permission: manages('admin'),
  body: z.strictObject(protectedLabelsSchema.shape),
  response: z.object({ data: protectedLabelsSchema }),
  errors,
});

const getPromptUsage = defineRoute({
  id: 'getPromptUsage',
  method: 'GET',
  path: '/api/prompt/{id}/usage',
  tag,
  storage,
  summary: 'Fetches by day, version and source. Traces that used it: search spans for `prompt_name:<name>`',
  permission: reads('prompts'),
  params,
  query: z.strictObject({ from: timeSchema.default('-30d'), to: timeSchema.default('now') }),
  response: z.object({ data: promptUsageSchema }),
  errors: ['not_found', 'bad_query', ...errors],
});

/** Routes of the prompt hub. */
export const PROMPT_ROUTES = {
  listPrompts,
  createPrompt,
  getProtectedLabels,
  setProtectedLabels,
  getPrompt,
  deletePrompt,
  listPromptVersions,
  getPromptVersion,
  diffPrompt,
  savePromptDraft,
  discardPromptDraft,
  publishPrompt,
  setPromptLabel,
  removePromptLabel,
  getPromptUsage,
  getCompiledPrompt,
} as const;
