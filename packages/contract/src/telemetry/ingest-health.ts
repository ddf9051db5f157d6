import { SIGNALS } from '@candela/kernel';
import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, isoTime } from './common.ts';

const signal = z.enum([...SIGNALS, 'unknown']);
const ms = z.number().meta({ description: 'Milliseconds.' });
const bytes = z.number().meta({ description: 'Bytes.' });

const troubleSchema = z
  .object({
    what: z.enum(['record', 'request', 'changed']).meta({
      description:
        'A record left out of a request that was taken, a whole request refused, or records kept but changed.',
    }),
    signal,
    reason: z.string().meta({ examples: ['bad_trace_id', 'too_large', 'unknown_credential', 'values_cut'] }),
    count,
    lastTime: isoTime,
    message: z
      .string()
      .meta({ description: 'What the sender was told then; empty for senders without a project.' }),
    client: z.string().meta({ description: 'Name and version of the client it happened to last.' }),
  })
  .meta({ id: 'IngestTrouble' });
export type IngestTrouble = z.output<typeof troubleSchema>;

const clientSchema = z
  .object({
    name: z.string().meta({ description: 'From the User-Agent; empty when the sender did not say.' }),
    version: z.string(),
    transport: z.enum(['http/protobuf', 'http/json', 'grpc']),
    key: z.string().nullable().meta({ description: 'Name of the API key; null without one.' }),
    sdks: z.array(z.string()).meta({ description: '`<language> <name> <version>` as its records say.' }),
    services: z.array(z.string()),
    requests: count.meta({ description: 'Requests that were taken.' }),
    accepted: count.meta({ description: 'Spans, log records and data points.' }),
    rejected: count,
    duplicates: count,
    refused: count.meta({ description: 'Requests refused as a whole.' }),
    lastTime: isoTime,
    trouble: z.object({ time: isoTime, reason: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'IngestClient' });
export type IngestClient = z.output<typeof clientSchema>;

export const getIngestHealth = defineRoute({
  id: 'getIngestHealth',
  method: 'GET',
  path: '/api/telemetry/ingest',
  tag: 'Telemetry',
  summary: 'What is received, refused and waiting: lag, backlog, refusals by reason and client',
  permission: reads('telemetry'),
  response: z.object({
    data: z.object({
      state: z.enum(['ok', 'degraded']),
      /** Why it is degraded; empty when it is not. */
      reasons: z.array(z.string()),
      now: isoTime,
      since: isoTime.meta({ description: 'Start of the counts: that of this process.' }),
      pipeline: z.object({
        lagMs: ms.meta({
          description: 'Age of the oldest request that is acknowledged but not yet in the store.',
        }),
        backlogRequests: count,
        logBytes: bytes.meta({ description: 'Size of the write-ahead log.' }),
        logCapBytes: bytes,
        pendingBytes: bytes.meta({ description: 'Bodies being read or decoded.' }),
        decodeQueue: count,
        decodeWorkersLost: count,
        freeDiskPercent: z.number(),
        minFreeDiskPercent: z.number(),
        quarantinedRequests: count,
        quarantinedSegments: count,
        store: z.enum(['ready', 'starting', 'down']),
        engineRestarts: count,
      }),
      /** Of this project, from here on. */
      signals: z.array(
        z.object({
          signal: z.enum(SIGNALS),
          lastTime: isoTime.nullable(),
          requests: count,
          accepted: count,
          rejected: count,
          duplicates: count,
          refused: count,
          bytes,
        }),
      ),
      minutes: z
        .array(z.object({ time: isoTime, accepted: count, rejected: count, refused: count }))
        .meta({ description: 'The last 60 minutes, oldest first.' }),
      troubles: z.array(troubleSchema).meta({ description: 'The latest first.' }),
      clients: z.array(clientSchema).meta({ description: 'The one heard last first, at most 100.' }),
      clientsForgotten: count,
      strangers: z.array(troubleSchema).meta({
        description: 'Refusals of senders without a valid credential: they belong to no project.',
      }),
    }),
  }),
});
