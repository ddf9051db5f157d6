/** Endings and types of the files that exports give. */
export const EXPORT_FILES = {
  csv: { ending: 'csv', type: 'text/csv' },
  json: { ending: 'jsonl', type: 'application/x-ndjson' },
  otlp: { ending: 'otlp.jsonl', type: 'application/x-ndjson' },
} as const;

/** What is put together in a tab at most. */
const MOST_BYTES = 1_000_000_000;
/** What of it is held in the memory of the page: a browser keeps larger blobs outside of it, on disk where it can. */
const HELD_BYTES = 8_000_000;

/** A stream gave more than a tab puts together, or than the browser has room for. */
export class TooLargeToSave extends Error {
  override readonly name = 'TooLargeToSave';
}

/** A stream as one blob; `onPart` hears of every part as it comes. @throws TooLargeToSave, and what reading throws */
export async function gather(
  stream: ReadableStream<Uint8Array>,
  onPart: (part: Uint8Array) => void,
  { most = MOST_BYTES, held = HELD_BYTES } = {},
): Promise<Blob> {
  const reader = stream.getReader();
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let own = 0;
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      const { value } = step;
      bytes += value.length;
      if (bytes > most) throw new TooLargeToSave();
      parts.push(new Uint8Array(value));
      own += value.length;
      if (own >= held) {
        blobs.push(await kept(new Blob(parts)));
        parts = [];
        own = 0;
      }
      onPart(value);
    }
    return await kept(new Blob([...blobs, ...parts]));
  } catch (thrown) {
    void reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

/** A browser without room for a blob, as a private window soon is, says so only to whoever reads it. */
async function kept(blob: Blob): Promise<Blob> {
  try {
    await blob.slice(-1).arrayBuffer();
    return blob;
  } catch (cause) {
    throw new TooLargeToSave('There is no room for more', { cause });
  }
}

/** Gives a file to the browser's downloads. */
export function saveFile(content: Blob, name: string, type: string): void {
  const url = URL.createObjectURL(content.slice(0, content.size, type));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
