import type { CandelaError } from '@candela/kernel';
import type { Access } from './access.ts';

/** Does the work; where it fails because a value that must be unique is there already, throws `taken` instead. */
export async function unlessTaken<T>(
  { dialect }: Pick<Access, 'dialect'>,
  taken: (cause: unknown) => CandelaError,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw dialect.isUniqueViolation(thrown) ? taken(thrown) : thrown;
  }
}
