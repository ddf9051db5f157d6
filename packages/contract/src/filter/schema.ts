import { z } from 'zod';
import { FILTER_LIMITS, FILTER_OPS, type Filter } from './ast.ts';
import { shapeTrouble } from './shape.ts';

const scalar = z.union([z.string().max(FILTER_LIMITS.textLength), z.number(), z.boolean()]);

/** Of a name too many, which is said whole by itself. */
const NAMES = {
  error: ({ code, input }: { readonly code?: string | undefined; readonly input?: unknown }) =>
    code === 'unrecognized_keys' ? shapeTrouble(input) : undefined,
};

const condition = z
  .strictObject(
    {
      field: z.string().min(1).max(FILTER_LIMITS.fieldLength),
      op: z.enum(FILTER_OPS),
      value: z.union([scalar, z.array(scalar).min(1).max(FILTER_LIMITS.listLength)]).optional(),
    },
    NAMES,
  )
  .meta({ title: 'Condition' });

/** Shape of a filter in JSON. Field names, value types and overall size are checked by `checkFilter`. */
export const filterSchema: z.ZodType<Filter> = z
  .lazy(() =>
    z.union(
      [
        condition,
        z.strictObject({ and: z.array(filterSchema).min(1).max(FILTER_LIMITS.conditions) }, NAMES),
        z.strictObject({ or: z.array(filterSchema).min(1).max(FILTER_LIMITS.conditions) }, NAMES),
        z.strictObject({ not: filterSchema }, NAMES),
      ],
      // What a union says by itself is that the input is invalid.
      { error: ({ input }) => shapeTrouble(input) },
    ),
  )
  .meta({ id: 'Filter', description: 'A condition, or conditions joined by `and`, `or`, `not`.' });
