import { z } from 'zod';
import { activeStatus, line, revision, text } from '../rules/liberal.ts';
import { usedBySchema } from '../rules/schemas.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of contexts. Lengths are UTF-16 units. */
export const CONTEXT_LIMITS = {
  name: 100,
  description: 2_000,
  content: 65_536,
  tags: 50,
  tag: 100,
  metaKeys: 64,
  metaKey: 100,
  /** Characters of the meta properties as JSON. */
  meta: 16_384,
} as const;

/** JSON text stands for what it says: earlier clients send lists and objects that way. */
const fromText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const tags = z
  .preprocess(
    (value) => {
      const given = fromText(value);
      return typeof given === 'string' ? given.split(',').filter((tag) => tag.trim() !== '') : given;
    },
    z.array(line(CONTEXT_LIMITS.tag)).max(CONTEXT_LIMITS.tags),
  )
  .transform((list) => [...new Set(list)])
  .default([])
  .meta({ description: 'A list; a text with commas is taken too.' });

const metaProperties = z
  .preprocess(fromText, z.record(z.string().min(1).max(CONTEXT_LIMITS.metaKey), z.unknown()))
  .refine((meta) => Object.keys(meta).length <= CONTEXT_LIMITS.metaKeys, {
    error: `At most ${CONTEXT_LIMITS.metaKeys} properties.`,
  })
  .refine((meta) => JSON.stringify(meta).length <= CONTEXT_LIMITS.meta, {
    error: `At most ${CONTEXT_LIMITS.meta} characters as JSON.`,
  })
  .default({});

export const contextInputShape = {
  name: line(CONTEXT_LIMITS.name),
  description: text(CONTEXT_LIMITS.description).trim().default(''),
  content: text(CONTEXT_LIMITS.content).min(1, { error: 'The content is empty.' }),
  tags,
  metaProperties,
  status: activeStatus.default('ACTIVE').meta({ description: 'An INACTIVE one is handed out by no rule.' }),
};
export const CONTEXT_SPELLINGS = { meta_properties: 'metaProperties' } as const;

const version = z.int().meta({ description: 'Goes up when content, tags or meta properties change.' });

const headShape = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  status: activeStatus,
  version,
  revision,
  createdBy: z.string(),
  createdAt: isoTime,
  updatedBy: z.string(),
  updatedAt: isoTime,
};
const previewShape = {
  preview: z.string().meta({ description: 'The beginning of the content.' }),
  length: z.int().meta({ description: 'Characters of the content.' }),
};

export const contextSummarySchema = z
  .object({ ...headShape, ...previewShape })
  .meta({ id: 'ContextSummary' });
export type ContextSummary = z.output<typeof contextSummarySchema>;

export const contextSchema = z
  .object({
    ...headShape,
    content: z.string(),
    metaProperties: z.record(z.string(), z.unknown()),
    usedBy: z.array(usedBySchema).meta({ description: 'Rules that hand it out, at most 100.' }),
  })
  .meta({ id: 'Context' });
export type Context = z.output<typeof contextSchema>;

const versionShape = { version, tags: headShape.tags, createdBy: z.string(), createdAt: isoTime };

export const contextVersionSummarySchema = z
  .object({ ...versionShape, ...previewShape })
  .meta({ id: 'ContextVersionSummary' });
export type ContextVersionSummary = z.output<typeof contextVersionSummarySchema>;

export const contextVersionSchema = z
  .object({ ...versionShape, content: z.string(), metaProperties: z.record(z.string(), z.unknown()) })
  .meta({ id: 'ContextVersion' });
export type ContextVersion = z.output<typeof contextVersionSchema>;
