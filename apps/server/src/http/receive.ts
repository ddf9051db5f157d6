import type { Readable } from 'node:stream';
import { fail } from '@candela/kernel';

/**
 * Gives every part of a body to `take` until its end. What `take` throws ends it at once, and nothing more is read.
 * @param left what is said when the sender went away inside of it @throws bad_request then
 */
export function receive(
  request: Readable,
  take: (chunk: Buffer) => void,
  left = 'The connection ended inside the body.',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      reject(error instanceof Error ? error : fail('internal'));
    };
    const onData = (chunk: Buffer): void => {
      try {
        take(chunk);
      } catch (thrown) {
        stop(thrown);
      }
    };
    const onEnd = (): void => {
      request.off('close', onClose);
      resolve();
    };
    const onClose = (): void => stop(fail('bad_request', { detail: left }));
    // Whoever left while something else was waited for does not leave again.
    if (request.destroyed) return onClose();
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    // The close event follows and settles the promise.
    request.on('error', () => {});
  });
}
