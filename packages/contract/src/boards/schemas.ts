import { z } from 'zod';
import { firstOverlap, GRID } from '../panels/layout.ts';
import { panelQuerySchema, panelVisualSchema } from '../panels/schemas.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of boards. */
export const BOARD_LIMITS = {
  title: 120,
  description: 2_000,
  widgets: 60,
  variables: 20,
  tags: 20,
  perProject: 500,
  folders: 200,
  folderDepth: 8,
  /** Widgets of a board that are asked for at the same time. */
  atOnce: 4,
} as const;

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });
const title = line(BOARD_LIMITS.title);
const key = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'Letters, digits, "_" and "-", at most 64.' });

const placeSchema = z
  .strictObject({
    x: z
      .int()
      .min(0)
      .max(GRID.columns - 1),
    y: z.int().min(0).max(GRID.maxRow),
    w: z.int().min(1).max(GRID.columns),
    h: z.int().min(1).max(GRID.maxHeight),
  })
  .refine(({ x, w }) => x + w <= GRID.columns, { error: `The grid has ${GRID.columns} columns.` });

export const widgetSchema = z
  .strictObject({
    id: key,
    title,
    description: z.string().trim().max(BOARD_LIMITS.description).default(''),
    query: panelQuerySchema,
    visual: panelVisualSchema,
    place: placeSchema,
  })
  .meta({ id: 'Widget', description: 'A panel with its title and its place on the grid of 12 columns.' });
export type Widget = z.output<typeof widgetSchema>;

/** Names that stand in the address and in placeholders. */
const variableName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, {
  error: 'A lower-case letter, then lower-case letters, digits and "_", at most 32.',
});

export const variableSchema = z
  .strictObject({
    name: variableName,
    label: line(60),
    kind: z.enum(['field', 'list', 'text', 'number']).meta({
      description: '`field`: values that the field has; `list`: one of `values`; `text`, `number`: typed.',
    }),
    field: z.string().min(1).max(300).optional().meta({
      description: 'Field of spans and logs that chosen values narrow; omitted: only placeholders use them.',
    }),
    values: z.array(z.string().max(300)).max(100).default([]),
    multi: z.boolean().default(false),
    initial: z.array(z.string().max(300)).max(50).default([]),
    without: z.array(z.string().max(300)).min(1).max(50).optional().meta({
      description: 'Values of `field` that are left out while none is chosen.',
    }),
  })
  .meta({ id: 'BoardVariable' });
export type BoardVariable = z.output<typeof variableSchema>;

/** Seconds between refreshes that a board may have; 0: none. */
export const REFRESH_SECONDS = [0, 30, 60, 300, 600] as const;

export const boardShape = {
  title,
  description: z.string().trim().max(BOARD_LIMITS.description).default(''),
  tags: z.array(line(40)).max(BOARD_LIMITS.tags).default([]),
  folderId: z.string().min(1).max(64).nullable().default(null),
  visibility: z.enum(['project', 'private']).default('project').meta({
    description: '`private`: only the person who made it sees it.',
  }),
  refreshSeconds: z.union(REFRESH_SECONDS.map((seconds) => z.literal(seconds))).default(0),
  variables: z
    .array(variableSchema)
    .max(BOARD_LIMITS.variables)
    .default([])
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: 'Two variables have the same name.',
    }),
  widgets: z
    .array(widgetSchema)
    .max(BOARD_LIMITS.widgets)
    .default([])
    .superRefine((widgets, context) => {
      if (new Set(widgets.map(({ id }) => id)).size !== widgets.length)
        context.addIssue({ code: 'custom', message: 'Two widgets have the same id.' });
      const clash = firstOverlap(widgets.map(({ id, place }) => ({ id, ...place })));
      if (clash !== undefined)
        context.addIssue({
          code: 'custom',
          message: `The widgets "${clash[0]}" and "${clash[1]}" lie on each other.`,
        });
    }),
};

/** What a person writes of a board. */
export const boardInputSchema = z.strictObject(boardShape);
export type BoardInput = z.output<typeof boardInputSchema>;
export type BoardDraft = z.input<typeof boardInputSchema>;

const summaryShape = {
  id: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  folderId: z.string().nullable(),
  visibility: z.enum(['project', 'private']),
  seeded: z.boolean().meta({ description: 'Comes with the product: it cannot be changed, only duplicated.' }),
  pinned: z.boolean().meta({ description: 'Pinned by the person who asks.' }),
  widgetCount: z.number(),
  revision: z.number().meta({ description: 'Goes up with every change; 0 of seeded boards.' }),
  updatedBy: z.string(),
  updatedAt: isoTime.nullable(),
};

export const boardSummarySchema = z.object(summaryShape).meta({ id: 'BoardSummary' });
export type BoardSummary = z.output<typeof boardSummarySchema>;

export const boardSchema = z
  .object({
    ...summaryShape,
    refreshSeconds: z.number(),
    variables: z.array(variableSchema),
    widgets: z.array(widgetSchema),
  })
  .meta({ id: 'Board' });
export type Board = z.output<typeof boardSchema>;

export const folderSchema = z
  .object({ id: z.string(), name: z.string(), parentId: z.string().nullable() })
  .meta({ id: 'BoardFolder' });
export type BoardFolder = z.output<typeof folderSchema>;

export const folderInputSchema = z.strictObject({
  name: line(80),
  parentId: z.string().min(1).max(64).nullable().default(null),
});

/** A board as a file: without ids of this installation. */
export const boardFileSchema = z
  .strictObject({
    $candela: z.literal('board'),
    version: z.literal(1),
    title: boardShape.title,
    description: boardShape.description,
    tags: boardShape.tags,
    refreshSeconds: boardShape.refreshSeconds,
    variables: boardShape.variables,
    widgets: boardShape.widgets,
  })
  .meta({ id: 'BoardFile' });
export type BoardFile = z.output<typeof boardFileSchema>;

export const importReportSchema = z.object({
  format: z.enum(['candela', 'layout', 'grafana']),
  widgets: z.array(
    z.object({
      title: z.string(),
      outcome: z.enum(['taken', 'placeholder']),
      reason: z.string().nullable(),
    }),
  ),
});
export type ImportReport = z.output<typeof importReportSchema>;
