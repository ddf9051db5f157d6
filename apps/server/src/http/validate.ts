import { type ErrorCode, fail } from '@candela/kernel';
import type { z } from 'zod';

/** Checks one part of a request. @throws bad_request naming the field, what it got and what it takes */
export function validate(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join('.').slice(0, 120);
    return path === '' ? `${what}: ${issue.message}` : `"${path}" in the ${what}: ${issue.message}`;
  });
  const code: ErrorCode = 'bad_request';
  throw fail(code, { detail: sentences.join(' ') });
}
