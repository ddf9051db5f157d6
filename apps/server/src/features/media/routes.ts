import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '@candela/kernel';
import type { StoredMedia } from '@candela/metadata-store';
import { createProxies, schemeOf } from '../../http/client-address.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { FeatureParts } from '../feature.ts';
import type { AuthenticateInput } from '../identity/service.ts';
import { mediaAddresses } from './addresses.ts';
import { CHUNK_BYTES, piecesOf, rangeOf } from './ranges.ts';

const MOST_FAILURE = 500;

/** The connection and headers that a request came with. */
type Reached = Pick<AuthenticateInput, 'headers' | 'remoteAddress'>;

type MediaHandlers = Pick<
  Handlers,
  'announceMedia' | 'putMedia' | 'reportMedia' | 'getMedia' | 'getMediaContent'
>;

/** Images, sounds and files that messages refer to, on the wire of Langfuse. */
export function mediaHandlers({
  metadata,
  envelope,
  clock,
  config,
}: Pick<FeatureParts, 'metadata' | 'envelope' | 'clock' | 'config'>): MediaHandlers {
  const addresses = mediaAddresses(envelope);
  const folder = join(config.dataDir, 'media-uploads');
  // What a stop left over in the middle of an upload.
  rmSync(folder, { recursive: true, force: true });

  const isProxy = createProxies(config.trustedProxies);
  /** How who asks reaches us: by the name that is set, or as they just did. */
  const baseOf = ({ headers, remoteAddress }: Reached): string => {
    if (config.publicUrl !== undefined) return config.publicUrl.replace(/\/+$/, '');
    const scheme = schemeOf(isProxy(remoteAddress) ? headers('x-forwarded-proto') : undefined);
    return `${scheme}://${hostOf(headers('host'))}`;
  };

  return {
    announceMedia: async ({ context, body, caller }) => {
      const { contentType, contentLength: bytes, sha256Hash: sha256 } = body;
      // An item of a dataset has no trace.
      const traceId = body.traceId?.toLowerCase() ?? '';
      const spanId = traceId === '' ? (body.datasetItemId ?? '') : (body.observationId?.toLowerCase() ?? '');
      if (bytes > config.mediaMaxBytes)
        throw fail('refused', {
          detail: `The item has ${bytes} bytes, more than the ${config.mediaMaxBytes} of PLATFORM_MEDIA_MAX_BYTES.`,
        });
      const { projectId } = context;
      const id = idOf(sha256);
      const item = await metadata.change(undefined, ({ media }) =>
        media.announce(
          projectId,
          { id, contentType, bytes, sha256 },
          { traceId, spanId },
          config.mediaProjectBytes,
        ),
      );
      const address = addresses.make('upload', { projectId, id }, clock.now(), baseOf(caller));
      return { mediaId: id, uploadUrl: item.storedAt === null ? address.url : null };
    },

    putMedia: async ({ params: { mediaId: id }, query, header, save }) => {
      const projectId = addresses.read('upload', query.token, id, clock.now());
      const item = await metadata.media.get(projectId, id);
      const given = (header('content-type') ?? item.contentType).split(';', 1)[0]?.trim().toLowerCase();
      if (given !== item.contentType)
        throw fail('unsupported_media', {
          detail: `The content type is ${JSON.stringify(given?.slice(0, 100))}, but ${item.contentType} was announced.`,
        });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, crypto.randomUUID());
      try {
        const bytes = await save(file, item.bytes);
        await requireAnnounced(file, bytes, item);
        await metadata.change(undefined, async ({ media }) => {
          // Somebody else may have sent the same meanwhile.
          if ((await media.get(projectId, id)).storedAt !== null) return;
          let position = 0;
          for await (const piece of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
            await media.write(projectId, id, position, piece as Buffer);
            position += 1;
          }
          await media.finish(projectId, id);
        });
      } finally {
        rmSync(file, { force: true });
      }
      return { mediaId: id };
    },

    reportMedia: async ({ context, params: { mediaId: id }, body }) => {
      const { uploadHttpStatus: status, uploadHttpError: error } = body;
      const failure =
        status >= 200 && status < 300 ? null : `${status} ${error ?? ''}`.trim().slice(0, MOST_FAILURE);
      await metadata.media.report(context.projectId, id, failure);
      return { mediaId: id };
    },

    getMedia: async ({ context, params: { mediaId: id }, caller }) => {
      const { projectId } = context;
      const item = storedOne(await metadata.media.get(projectId, id));
      const { url, until } = addresses.make('download', { projectId, id }, clock.now(), baseOf(caller));
      return {
        mediaId: id,
        contentType: item.contentType,
        contentLength: item.bytes,
        uploadedAt: new Date(item.storedAt).toISOString(),
        url,
        urlExpiry: new Date(until).toISOString(),
      };
    },

    getMediaContent: async ({ params: { mediaId: id }, query, header }) => {
      const projectId = addresses.read('download', query.token, id, clock.now());
      const item = storedOne(await metadata.media.get(projectId, id));
      const read = (position: number) => metadata.media.read(projectId, id, position);
      const range = rangeOf(header('range'), item.bytes);
      return {
        ...(range.status === undefined ? {} : { status: range.status }),
        contentType: item.contentType,
        fileName: `${id}.${extensionOf(item.contentType)}`,
        isInline: SHOWN.test(item.contentType),
        headers: {
          'accept-ranges': 'bytes',
          'content-length': String(range.end - range.start),
          ...(range.said === undefined ? {} : { 'content-range': range.said }),
          // What a sender calls an image runs nothing, wherever it is opened.
          'content-security-policy': "default-src 'none'; sandbox",
          // The same address is always the same content.
          'cache-control': 'private, max-age=3600, immutable, no-transform',
        },
        parts: piecesOf(read, range),
      };
    },
  };
}

/** As clients compute it: they send nothing where theirs is another one. */
const idOf = (sha256: string): string => sha256.replaceAll('+', '-').replaceAll('/', '_').slice(0, 22);

/** What a browser shows within a page. A drawing in SVG is a document: it is saved. */
const SHOWN = /^(?:image\/(?!svg)|audio\/|video\/)/;
const extensionOf = (type: string): string => /\/(?:x-)?([a-z0-9]{1,10})/.exec(type)?.[1] ?? 'bin';

/** A host as a request names it, and nothing else. */
function hostOf(host: string | undefined): string {
  if (host === undefined || !/^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host))
    throw fail('bad_request', { detail: 'The Host header names no host.' });
  return host;
}

async function requireAnnounced(file: string, bytes: number, item: StoredMedia): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  if (bytes === item.bytes && hash.digest('base64') === item.sha256) return;
  throw fail('refused', {
    detail: `This is not the content that was announced: ${bytes} bytes of ${item.bytes}, or another SHA-256.`,
  });
}

/** @throws not_found its content is not here (yet) */
function storedOne(item: StoredMedia): StoredMedia & { readonly storedAt: number } {
  const { storedAt } = item;
  if (storedAt !== null) return { ...item, storedAt };
  const why = item.failure === null ? 'was never sent' : `could not be sent (${item.failure})`;
  throw fail('not_found', { what: `The content of the media item, which ${why},` });
}
