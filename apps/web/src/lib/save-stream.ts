/** Endings and types of the files that exports give. */
export const EXPORT_FILES = {
  csv: { ending: 'csv', type: 'text/csv' },
  json: { ending: 'jsonl', type: 'application/x-ndjson' },
  otlp: { ending: 'otlp.jsonl', type: 'application/x-ndjson' },
} as const;

/**
 * Saves a stream as a file of the browser's downloads, whole or not at all: what breaks off is thrown away. Tells the
 * bytes so far, and gives back all of them.
 */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
  type: string,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const reader = stream.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let told = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    parts.push(new Uint8Array(step.value));
    bytes += step.value.length;
    const now = performance.now();
    if (now - told < 100) continue;
    told = now;
    onBytes(bytes);
  }
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return bytes;
}
