import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { newSpanId, newTraceId, type SeedTrace } from './otlp.ts';

/** What an application uploads beside of its telemetry. */
export interface Upload {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
};

/** A PNG with a gradient. */
export function picture(width: number, height: number): Upload {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = (y: number) =>
    Buffer.from([
      0,
      ...Array.from({ length: width }, (_, x) => [(x * 255) / width, (y * 255) / height, 160]).flat(),
    ]);
  const pixels = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)));
  const bytes = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return { contentType: 'image/png', bytes };
}

const RATE = 44_100;

/** A WAV of a tone, longer than what a browser reads ahead of it. */
export function tone(seconds: number): Upload {
  const samples = Math.round(seconds * RATE);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n += 1)
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((n * 440 * 2 * Math.PI) / RATE)), 44 + n * 2);
  return { contentType: 'audio/wav', bytes };
}

const HARM = "document.documentElement.dataset.hacked='1'";
/** A drawing that is a program. */
export const HOSTILE_SVG: Upload = {
  contentType: 'image/svg+xml',
  bytes: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${HARM}"><script>${HARM}</script></svg>`,
  ),
};
/** A page of somebody else. */
export const HOSTILE_HTML: Upload = {
  contentType: 'text/html',
  bytes: Buffer.from(`<body><img src=x onerror="${HARM}"><script>${HARM}</script></body>`),
};
/** What only says that it is an image. */
export const HOSTILE_IMAGE: Upload = {
  contentType: 'image/png',
  bytes: Buffer.concat([HOSTILE_HTML.bytes, Buffer.from('<!-- an image -->')]),
};

/** As clients and the platform make it of the content. */
export const idOf = ({ bytes }: Upload): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 22);

const referenceOf = (one: Upload): string =>
  `@@@langfuseMedia:type=${one.contentType}|id=${idOf(one)}|source=base64_data_uri@@@`;

/** Uploads in the order of Langfuse's clients: announce, send where the answer says, report. Sends nothing twice. */
export async function upload(
  origin: string,
  { contentType, bytes }: Upload,
  span: { readonly traceId: string; readonly spanId: string },
): Promise<void> {
  const announced = await fetch(`${origin}/api/public/media`, {
    method: 'POST',
    body: JSON.stringify({
      traceId: span.traceId,
      observationId: span.spanId,
      contentType,
      contentLength: bytes.length,
      sha256Hash: createHash('sha256').update(bytes).digest('base64'),
      field: 'input',
    }),
  });
  const said = await announced.text();
  if (!announced.ok) throw new Error(`The announcement was answered ${announced.status}: ${said}`);
  const { mediaId, uploadUrl } = JSON.parse(said) as { mediaId: string; uploadUrl: string | null };
  if (uploadUrl === null) return;
  const sent = await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: Uint8Array.from(bytes),
  });
  if (!sent.ok) throw new Error(`The content was answered ${sent.status}: ${await sent.text()}`);
  await sent.body?.cancel();
  const reported = await fetch(`${origin}/api/public/media/${mediaId}`, {
    method: 'PATCH',
    body: JSON.stringify({ uploadedAt: new Date().toISOString(), uploadHttpStatus: sent.status }),
  });
  await reported.body?.cancel();
}

/** A call whose question has the uploads in it, as Langfuse's clients send it. */
export function mediaTrace(startedAt: number, uploads: readonly Upload[]): SeedTrace {
  const content = uploads.map((one) => ({ type: 'text', text: `Look at this: ${referenceOf(one)}` }));
  return {
    traceId: newTraceId(),
    service: 'gallery',
    startedAt,
    spans: [
      {
        spanId: newSpanId(),
        name: 'describe',
        durationMs: 900,
        attributes: {
          'langfuse.observation.type': 'generation',
          'langfuse.observation.model.name': 'gpt-4o-mini',
          'langfuse.observation.input': JSON.stringify([{ role: 'user', content }]),
          'langfuse.observation.output': JSON.stringify({
            role: 'assistant',
            content: 'A picture and a tone.',
          }),
        },
      },
    ],
  };
}
