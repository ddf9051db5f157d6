import { CandelaError } from '@candela/kernel';

/** The code that the work fails with, or `ok`. @throws what is no error of the table */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (thrown) {
    if (thrown instanceof CandelaError) return thrown.code;
    throw thrown;
  }
}
