import { z } from 'zod';
import type { Retention } from '../ingest/retention.ts';

/** One environment variable: how its text becomes a value, and what people are told about it. */
export interface Variable<T, D extends string | undefined = string | undefined> {
  readonly description: string;
  /** What it may be, as the sentence ending in an error message: "takes ...". */
  readonly takes: string;
  /** Text used when the variable is unset or empty; undefined when unset means something of its own. */
  readonly default: D;
  readonly secret?: boolean;
  readonly schema: z.ZodType<T, string>;
}

export const variable = <T, D extends string | undefined>(definition: Variable<T, D>): Variable<T, D> =>
  definition;

export const text = z.string();
export const integer = (min: number, max: number) =>
  text
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const flag = (description: string, fallback: 'true' | 'false') =>
  variable({
    description,
    takes: 'true or false',
    default: fallback,
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
  });

export const port = (description: string, fallback: number) =>
  variable({
    description,
    takes: 'a port number from 0 to 65535; 0 picks a free one',
    default: String(fallback),
    schema: integer(0, 65_535),
  });

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1_000],
  ['m', 1_000_000],
  ['g', 1_000_000_000],
  ['ki', 1_024],
  ['mi', 1_048_576],
  ['gi', 1_073_741_824],
]);

export const bytes = (description: string, fallback: string, min: number, most?: number) =>
  variable({
    description,
    takes: `a number of bytes, units allowed (500MB, 2GiB), at least ${min}${most === undefined ? '' : ` and at most ${most}`}`,
    default: fallback,
    schema: text
      .regex(/^\d+(\.\d+)?\s*([kmg]i?)?b?$/i)
      .transform((value) => {
        const match = /^([\d.]+)\s*([kmg]i?)?b?$/i.exec(value);
        return Math.floor(Number(match?.[1]) * (UNITS.get((match?.[2] ?? '').toLowerCase()) ?? 1));
      })
      .pipe(
        z
          .int()
          .min(min)
          .max(most ?? Number.MAX_SAFE_INTEGER),
      ),
  });

export const number = (min: number, max: number) =>
  text
    .regex(/^-?\d{1,9}(\.\d{1,9})?$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const OF_PROJECT = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\s*=\s*(\d+)$/;

/** `30` or `30, shop=7, audit=365`: a number for all projects, and those of some. */
export const perProject = (schema: z.ZodType<number, string>) =>
  text.transform((value, context): { value: number; projects: ReadonlyMap<string, number> } => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    const [first = '', ...rest] = value.split(',').map((part) => part.trim());
    const all = schema.safeParse(first);
    if (!all.success) return refuse('no number');
    const projects = new Map<string, number>();
    for (const part of rest) {
      const [, project = '', given = ''] = OF_PROJECT.exec(part) ?? [];
      const own = schema.safeParse(given);
      if (!own.success || projects.has(project)) return refuse('not a project with its number');
      projects.set(project, own.data);
    }
    return { value: all.data, projects };
  });

const retention = perProject(integer(1, 3_650)).transform(
  ({ value, projects }): Retention => ({ days: value, projects }),
);

export const days = (signal: string, fallback: number) =>
  variable({
    description: `Days that ${signal} are kept, counted from their arrival; for some projects other days. A change counts for what arrives from then on.`,
    takes: 'whole days from 1 to 3650, then, if wanted, days of single projects: 30,shop=7,audit=365',
    default: String(fallback),
    schema: retention,
  });

export const seconds = (description: string, fallback: number, max: number) =>
  variable({
    description,
    takes: `whole seconds from 1 to ${max}`,
    default: String(fallback),
    schema: integer(1, max).transform((value) => value * 1_000),
  });

export const httpUrl = text.refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
});
