import { z } from 'zod';
import { isoTime } from '../telemetry/common.ts';
import { callShape, messagesSchema } from './chat.ts';
import { BUMPS, LABEL } from './version.ts';

/** Bounds of prompts. */
export const PROMPT_LIMITS = {
  perPlace: 10_000,
  /** Bytes of a prompt's text as UTF-8. */
  text: 131_072,
  tags: 50,
  tag: 100,
  metaKeys: 64,
  metaKey: 100,
  /** Bytes of the meta properties as JSON. */
  meta: 16_384,
  versions: 10_000,
  labels: 50,
  /** Days that downloads are counted for. */
  usageDays: 400,
  usageRows: 10_000,
} as const;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const promptNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,99}$/, {
    error: 'A name has 1 to 100 characters of a-z, 0-9, "_", "." and "-", the first a letter or digit.',
  })
  .meta({ examples: ['support.reply'] });

export const promptTextSchema = z
  .string()
  .min(1, { error: 'The prompt is empty.' })
  .refine((text) => !text.includes('\0'), {
    error: 'The text holds a NUL character. Leave it out.',
  })
  .refine((text) => bytesOf(text) <= PROMPT_LIMITS.text, {
    error: `A prompt has at most ${PROMPT_LIMITS.text} bytes.`,
  })
  .meta({ description: 'Placeholders are `{{name}}`.' });

export const promptTagsSchema = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(PROMPT_LIMITS.tag)
      .regex(/^[^\p{Cc}]*$/u, { error: 'A tag is one line, without control characters.' }),
  )
  .max(PROMPT_LIMITS.tags)
  .transform((tags) => [...new Set(tags)]);

export const promptMetaSchema = z
  .record(z.string().min(1).max(PROMPT_LIMITS.metaKey), z.unknown())
  .refine((meta) => Object.keys(meta).length <= PROMPT_LIMITS.metaKeys, {
    error: `At most ${PROMPT_LIMITS.metaKeys} properties.`,
  })
  .refine((meta) => bytesOf(JSON.stringify(meta)) <= PROMPT_LIMITS.meta, {
    error: `At most ${PROMPT_LIMITS.meta} bytes as JSON.`,
  });

export const labelSchema = z
  .string()
  .regex(LABEL, {
    error: 'A label has 1 to 50 characters of a-z, 0-9, "_", "." and "-", the first a letter.',
  })
  .refine((label) => label !== 'latest' && label !== 'draft', {
    error: '"latest" is always the newest published version and "draft" the draft; neither is a label.',
  });

export const bumpSchema = z.enum(BUMPS).meta({
  description: 'Which part of the newest version goes up; the first version follows 0.0.0.',
});

export const selectorSchema = z
  .string()
  .min(1)
  .max(60)
  .meta({
    description: 'An exact version, `latest`, a label, a range such as `1.x` (its newest), or `draft`.',
    examples: ['1.2.0', 'latest', 'production', '1.x', 'draft'],
  });

const versionText = z.string().meta({ description: '`major.minor.patch`.', examples: ['1.2.0'] });
const meta = z.record(z.string(), z.unknown());

const summaryShape = {
  id: z.string(),
  version: versionText.nullable().meta({ description: 'Null: the draft.' }),
  status: z.enum(['DRAFT', 'PUBLISHED']),
  tags: z.array(z.string()),
  createdBy: z.string().nullable().meta({ description: 'Who saved it last: e-mail or name of the key.' }),
  createdAt: isoTime,
  updatedAt: isoTime,
  publishedAt: isoTime.nullable(),
};

/** A version in a list: without its text. */
export const versionSummarySchema = z
  .object({
    ...summaryShape,
    labels: z.array(z.string()),
    downloads: z.number().meta({ description: 'Fetches in the last 400 days.' }),
  })
  .meta({ id: 'PromptVersionSummary' });
export type PromptVersionSummary = z.output<typeof versionSummarySchema>;

export const versionSchema = z
  .object({
    ...summaryShape,
    prompt: z.string().meta({ description: 'Of a chat prompt its messages as one text.' }),
    messages: messagesSchema.optional().meta({ description: 'Only of a chat prompt.' }),
    ...callShape,
    metaProperties: meta,
    variables: z.array(z.string()).meta({ description: 'Names of its placeholders, in order.' }),
  })
  .meta({ id: 'PromptVersion' });
export type PromptVersionView = z.output<typeof versionSchema>;

export const promptSummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    tags: z.array(z.string()).meta({ description: 'Of the newest published version, else of the draft.' }),
    latestVersion: versionText.nullable().meta({ description: 'Null: nothing is published yet.' }),
    latestPublishedAt: isoTime.nullable(),
    hasDraft: z.boolean(),
    versions: z.number().meta({ description: 'Published ones.' }),
    downloads: z.number().meta({ description: 'Fetches in the last 400 days.' }),
    lastDays: z.array(z.number()).meta({
      description: 'Fetches of the last seven days in UTC, the oldest first and today last.',
    }),
    labels: z.array(z.object({ label: z.string(), version: versionText })),
    createdBy: z.string().nullable(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'PromptSummary' });
export type PromptSummary = z.output<typeof promptSummarySchema>;

const promptLabelSchema = z.object({
  label: z.string(),
  version: versionText,
  updatedBy: z.string().nullable(),
  updatedAt: isoTime,
});

/** Labels that only admins and owners move, in every prompt of the project. */
export const protectedLabelsSchema = z.object({
  labels: z
    .array(labelSchema)
    .max(PROMPT_LIMITS.labels)
    .transform((labels) => [...new Set(labels)].sort()),
});

export const promptSchema = z
  .object({
    ...promptSummarySchema.shape,
    revision: z.number().meta({
      description:
        'Goes up with every change of the draft. Send it back with a change, and nobody else is written over.',
    }),
    draft: versionSchema.nullable(),
    latest: versionSchema.nullable(),
    labels: z.array(promptLabelSchema),
  })
  .meta({ id: 'Prompt' });
export type Prompt = z.output<typeof promptSchema>;

const diffPart = z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() });

export const promptDiffSchema = z
  .object({
    from: versionSchema,
    to: versionSchema,
    blocks: z.array(z.object({ ...diffPart.shape, words: z.array(diffPart).optional() })).meta({
      description: 'Lines; where lines were replaced, `words` marks what changed in them.',
    }),
  })
  .meta({ id: 'PromptDiff' });
export type PromptDiff = z.output<typeof promptDiffSchema>;

export const promptUsageSchema = z
  .object({
    total: z.number(),
    rows: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'In UTC.' }),
          version: versionText,
          source: z
            .string()
            .meta({ description: 'What the client calls itself; `api` when it says nothing.' }),
          count: z.number(),
        }),
      )
      .meta({ description: 'By day, latest first.' }),
    truncated: z.boolean().meta({ description: 'There are more rows than are told.' }),
  })
  .meta({ id: 'PromptUsage' });
export type PromptUsage = z.output<typeof promptUsageSchema>;
