/** Files on their way to the detectors: `<path bytes u32><size u32><path><content>`; a path of length 0 ends. */

/** One file as a frame. */
export function frameOf(path: string, content: Uint8Array): Buffer {
  const name = Buffer.from(path);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(name.length, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, name, content]);
}

export const END_FRAME: Buffer = Buffer.alloc(8);

/** Reads frames from chunks of any length. */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly path: string; readonly content: Uint8Array }, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  const parts: Uint8Array[] = [];
  let waiting = 0;
  let needed = 8;
  for await (const chunk of chunks) {
    parts.push(chunk);
    waiting += chunk.length;
    if (waiting < needed) continue;
    rest = Buffer.concat(parts.splice(0));
    for (;;) {
      if (rest.length < 8) {
        needed = 8;
        break;
      }
      const name = rest.readUInt32LE(0);
      const size = rest.readUInt32LE(4);
      if (name === 0) return;
      needed = 8 + name + size;
      if (rest.length < needed) break;
      yield { path: rest.toString('utf8', 8, 8 + name), content: rest.subarray(8 + name, needed) };
      rest = rest.subarray(needed);
    }
    parts.push(rest);
    waiting = rest.length;
  }
}
