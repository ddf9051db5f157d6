import type { IncomingMessage } from 'node:http';
import { fail } from '@candela/kernel';

/**
 * Gives every part of a body to `take` until its end. What `take` throws ends it at once, and nothing more is read.
 * @throws bad_request when the sender went away
 */
export function receive(request: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
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
    const onClose = (): void =>
      stop(fail('bad_request', { detail: 'The connection ended inside the body.' }));
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    // The close event follows and settles the promise.
    request.on('error', () => {});
  });
}
