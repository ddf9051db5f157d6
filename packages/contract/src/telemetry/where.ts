import { z } from 'zod';

/** Bounds of a parameter that holds values by field. */
const WHERE_LIMITS = { text: 8_000, values: 50, value: 512 } as const;

/**
 * A parameter of an address that narrows by values of fields: `{"model":["gpt-4o"]}` as JSON. All fields must hold, of
 * each any of its values.
 */
export const whereParameter = <const Field extends string>(fields: readonly [Field, ...Field[]]) =>
  z
    .string()
    .max(WHERE_LIMITS.text)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'Write it as JSON: {"model":["gpt-4o"]}.' });
        return z.NEVER;
      }
    })
    .pipe(
      z.partialRecord(
        z.enum(fields),
        z.array(z.string().max(WHERE_LIMITS.value)).min(1).max(WHERE_LIMITS.values),
      ),
    )
    .optional()
    .meta({
      description: `Values by field as JSON, such as {"model":["gpt-4o"]}; fields: ${fields.join(', ')}.`,
    });
