import { z } from 'zod';

/**
 * The schema, with other spellings of its fields taken too: each is renamed unless the field itself is there. What
 * clients send is snake_case and camelCase alike; what is answered is camelCase.
 */
export function spelled<S extends z.ZodType>(schema: S, spellings: Readonly<Record<string, string>>) {
  return z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = new Map(Object.entries(value));
    for (const [other, field] of Object.entries(spellings)) {
      const given = fields.get(other);
      if (given === undefined) continue;
      fields.delete(other);
      if (!fields.has(field)) fields.set(field, given);
    }
    return Object.fromEntries(fields);
  }, schema);
}

/** One line of text. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });

/** Text that both databases can keep. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), {
      error: 'The text holds a NUL character. Leave it out.',
    });

export const activeStatus = z.enum(['ACTIVE', 'INACTIVE']);
export type ActiveStatus = z.output<typeof activeStatus>;

export const revision = z.int().min(1).meta({
  description: 'Goes up with every change. Send the one that was read: another one meanwhile is a 409.',
});

/** Of a change: without it whatever is there now is changed. */
export const expectedRevision = revision.optional();
