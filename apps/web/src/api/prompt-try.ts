import type { RequestBodyOf, TryDelta, TryDone, tryPrompt, TryStart } from '@candela/contract';
import { eventReader } from '../lib/event-stream.ts';
import { brokenOff } from './broken-off.ts';
import { ApiError, openStream } from './client.ts';

export type TryEvent =
  | { readonly event: 'start'; readonly data: TryStart }
  | { readonly event: 'delta'; readonly data: TryDelta }
  | { readonly event: 'done'; readonly data: TryDone };

/** Asks a model with a prompt and tells what comes, as it comes. @throws ApiError when it is refused or breaks off */
export async function* tryPromptWith(
  environment: string | undefined,
  promptId: string,
  body: RequestBodyOf<typeof tryPrompt>,
  signal: AbortSignal,
): AsyncGenerator<TryEvent> {
  const stream = await openStream('tryPrompt', {
    params: { id: promptId },
    body,
    environment,
    signal,
    headers: { accept: 'text/event-stream' },
  });
  const reader = stream.body.getReader();
  const decoder = new TextDecoder();
  const read = eventReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      for (const { event, data } of read(decoder.decode(step.value, { stream: true }))) {
        if (event === 'failure') throw brokenOff(data);
        if (event === 'start' || event === 'delta' || event === 'done')
          yield { event, data: JSON.parse(data) } as TryEvent;
        if (event === 'done') return;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  throw new ApiError('The answer broke off before its end. Try again.', 0, 'unreachable', '');
}
