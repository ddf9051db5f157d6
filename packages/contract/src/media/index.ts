import { z } from 'zod';
import { defineRoute, reads, type RouteDeclaration, writes } from '../route.ts';

const tag = 'Media';

/** Content types that are taken: those of the wire that clients of Langfuse speak. */
const MEDIA_TYPES = [
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/webp',
  'image/gif',
  'image/svg+xml',
  'image/tiff',
  'image/bmp',
  'image/avif',
  'image/heic',
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'audio/ogg',
  'audio/oga',
  'audio/aac',
  'audio/mp4',
  'audio/flac',
  'audio/opus',
  'audio/webm',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/mpeg',
  'video/quicktime',
  'video/x-msvideo',
  'video/x-matroska',
  'text/plain',
  'text/html',
  'text/css',
  'text/csv',
  'text/markdown',
  'text/x-python',
  'text/x-typescript',
  'application/javascript',
  'application/x-yaml',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/zip',
  'application/json',
  'application/xml',
  'application/octet-stream',
  'application/rtf',
  'application/x-ndjson',
  'application/vnd.apache.parquet',
  'application/gzip',
  'application/x-tar',
  'application/x-7z-compressed',
] as const;

/** Bytes that one item may have at most, whatever an installation allows. */
export const MOST_MEDIA_BYTES = 64 * 1_048_576;

/** The first 22 characters of the URL-safe base64 of its SHA-256: clients compute it themselves. */
const mediaId = z.object({ mediaId: z.string().regex(/^[\w-]{22}$/) });
const token = z.strictObject({ token: z.string().min(1).max(2_000) });
const named = z.string().min(1).max(200).nullish();

const announceMedia = defineRoute({
  id: 'announceMedia',
  method: 'POST',
  path: '/api/public/media',
  tag,
  summary: 'Asks where to send an image, a sound or a file that messages refer to (wire of Langfuse)',
  permission: writes('ingest'),
  basic: true,
  body: z
    .strictObject({
      traceId: named,
      observationId: named,
      datasetId: named,
      datasetItemId: named,
      contentType: z.enum(MEDIA_TYPES),
      contentLength: z.int().min(1).max(MOST_MEDIA_BYTES),
      sha256Hash: z
        .string()
        .regex(/^[A-Za-z0-9+/]{43}=$/)
        .meta({ description: 'SHA-256 of the content, in base64.' }),
      field: z.enum(['input', 'output', 'metadata', 'expectedOutput']),
    })
    .refine(({ traceId, datasetItemId }) => (traceId ?? datasetItemId ?? '') !== '', {
      message: 'Name the trace, or the item of a dataset, that the media belongs to.',
    }),
  success: 201,
  response: z.object({
    mediaId: z.string(),
    uploadUrl: z.string().nullable().meta({ description: 'Null: the content is here already.' }),
  }),
  errors: ['refused', 'conflict', 'metadata_unavailable'],
});

const putMedia = defineRoute({
  id: 'putMedia',
  method: 'PUT',
  path: '/api/public/media/{mediaId}/content',
  tag,
  summary: 'Takes the content of an announced item. The address of the announcement is the credential',
  permission: 'public',
  params: mediaId,
  query: token,
  upload: MOST_MEDIA_BYTES,
  response: z.object({ mediaId: z.string() }),
  errors: ['forbidden', 'not_found', 'refused', 'too_large', 'unsupported_media', 'metadata_unavailable'],
});

const reportMedia = defineRoute({
  id: 'reportMedia',
  method: 'PATCH',
  path: '/api/public/media/{mediaId}',
  tag,
  summary: 'Tells how sending the content ended; why it failed is shown where the item would be',
  permission: writes('ingest'),
  basic: true,
  params: mediaId,
  body: z.strictObject({
    uploadedAt: z.string().max(64),
    uploadHttpStatus: z.int().min(0).max(999),
    uploadHttpError: z.string().nullish(),
    uploadTimeMs: z.number().nullish(),
  }),
  response: z.object({ mediaId: z.string() }),
  errors: ['not_found', 'metadata_unavailable'],
});

const getMedia = defineRoute({
  id: 'getMedia',
  method: 'GET',
  path: '/api/public/media/{mediaId}',
  tag,
  summary: 'An item of media, with an address of its content that is good for an hour',
  permission: reads('telemetry'),
  basic: true,
  params: mediaId,
  response: z.object({
    mediaId: z.string(),
    contentType: z.string(),
    contentLength: z.int(),
    uploadedAt: z.iso.datetime(),
    url: z.string(),
    urlExpiry: z.iso.datetime(),
  }),
  errors: ['not_found', 'metadata_unavailable'],
});

const getMediaContent = defineRoute({
  id: 'getMediaContent',
  method: 'GET',
  path: '/api/public/media/{mediaId}/content',
  tag,
  summary: 'The content of an item. The address that `getMedia` gives is the credential',
  permission: 'public',
  params: mediaId,
  query: token,
  stream: 'file',
  produces: ['application/octet-stream'],
  response: z.string().meta({ format: 'binary' }),
  errors: ['forbidden', 'not_found', 'too_many_streams', 'metadata_unavailable'],
});

/** Every route of media. */
export const MEDIA_ROUTES = {
  announceMedia,
  putMedia,
  reportMedia,
  getMedia,
  getMediaContent,
} as const satisfies Record<string, RouteDeclaration>;
