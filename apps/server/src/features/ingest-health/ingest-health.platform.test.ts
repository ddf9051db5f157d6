import type { ResponseOf, ROUTES } from '@candela/contract';
import { encodeTraceRequest, type Span } from '@candela/otlp';
import { DEFAULT_PROJECT_ID, SCOPES, systemClock } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grpcFrame, grpcRaw, post } from '../../ingest/testing/client.ts';
import { API_KEY, type Receivers, openReceivers } from '../../ingest/testing/harness.ts';
import { ingestHealthHandlers } from './routes.ts';

type Health = ResponseOf<typeof ROUTES.getIngestHealth>['data'];

const span = (changes: Partial<Span> = {}): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'ask',
  startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
  endTimeUnixNano: BigInt(Date.now() + 5) * 1_000_000n,
  ...changes,
});
const RESOURCE = {
  'service.name': 'shop',
  'telemetry.sdk.language': 'python',
  'telemetry.sdk.name': 'opentelemetry',
  'telemetry.sdk.version': '1.30.0',
};
const request = (...spans: Span[]) =>
  encodeTraceRequest({ resourceSpans: [{ resource: { attributes: RESOURCE }, scopeSpans: [{ spans }] }] });

/** Real receivers refuse real requests; then the figures are read as the API reads them. */
describe('ingest health', () => {
  let receivers: Receivers;
  beforeAll(async () => {
    receivers = await openReceivers({ ingest: { maxBytes: 64 * 1024 } });
  });
  afterAll(() => receivers.close());

  const health = async (projectId = DEFAULT_PROJECT_ID): Promise<Health> => {
    const handlers = ingestHealthHandlers({
      ingest: receivers.ingest,
      log: receivers.log,
      store: () => receivers.store.health(),
      minFreeDiskPercent: 5,
      clock: systemClock,
    });
    const context = {
      principal: { kind: 'anonymous' } as const,
      organisationId: 'default',
      projectId,
      environment: undefined,
      databaseConfigId: 'embedded',
      scopes: new Set(SCOPES),
      requestId: 'test',
    };
    const { signal } = new AbortController();
    const input = {
      context,
      params: undefined,
      query: undefined,
      body: undefined,
      signal,
      header: () => undefined,
      client: { address: '127.0.0.1', userAgent: undefined },
      requestId: 'test',
      caller: { headers: () => undefined, remoteAddress: '127.0.0.1', endpoint: 'api' as const },
      save: async () => 0,
      setCookie: () => {},
      etag: () => {},
    };
    return (await handlers.getIngestHealth(input)).data;
  };

  it('says nothing came before anything came', async () => {
    const before = await health();
    expect(before.signals.map(({ lastTime }) => lastTime)).toEqual([null, null, null]);
    expect([before.troubles, before.clients, before.minutes.length]).toEqual([[], [], 60]);
    expect(before.pipeline).toMatchObject({ backlogRequests: 0, store: 'ready', minFreeDiskPercent: 5 });
  });

  it('counts what real refusals were about, by reason and client', async () => {
    const python = { 'user-agent': 'OTel-OTLP-Exporter-Python/1.30.0' };
    const curl = { 'user-agent': 'curl/8.5.0' };
    const good = request(span());
    expect((await post(receivers.port, good, { headers: python })).status).toBe(200);
    expect((await post(receivers.port, good, { headers: python })).status).toBe(200);
    const partly = request(
      span({ spanId: 'b7ad6b7169203332' }),
      span({ name: 'late', startTimeUnixNano: 0 }),
    );
    expect((await post(receivers.port, partly, { headers: python })).status).toBe(200);
    expect((await post(receivers.port, Buffer.from('not protobuf at all'), { headers: curl })).status).toBe(
      400,
    );
    expect((await post(receivers.port, Buffer.alloc(70_000), { headers: curl })).status).toBe(413);
    const wrong = {
      ...curl,
      authorization: 'Bearer pk_wrong000_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
    };
    expect((await post(receivers.port, good, { headers: wrong })).status).toBe(401);
    const keyed = {
      authorization: `Bearer ${API_KEY}`,
      'user-agent': 'OTel OTLP Exporter Go/1.34.0 grpc-go/1.7',
    };
    const sent = await grpcRaw(receivers.grpcPort, grpcFrame(request(span({ spanId: 'b7ad6b7169203333' }))), {
      headers: keyed,
    });
    expect(sent.code).toBe(0);

    const after = await health();
    expect(after.signals[0]).toMatchObject({
      signal: 'traces',
      requests: 4,
      accepted: 3,
      rejected: 1,
      duplicates: 1,
      refused: 2,
    });
    expect(after.signals[0]?.lastTime).not.toBeNull();
    expect(after.troubles.map(({ what, reason, count, client }) => [what, reason, count, client])).toEqual(
      expect.arrayContaining([
        ['record', 'no_start_time', 1, 'OTel-OTLP-Exporter-Python 1.30.0'],
        ['request', 'undecodable', 1, 'curl 8.5.0'],
        ['request', 'too_large', 1, 'curl 8.5.0'],
      ]),
    );
    expect(after.troubles.find(({ reason }) => reason === 'no_start_time')?.message).toBe(
      '1 of 2 refused; the first is span "late": it has no start time.',
    );
    expect(after.strangers).toMatchObject([{ reason: 'unknown_credential', count: 1, message: '' }]);
    expect(after.clients).toMatchObject([
      { name: 'OTel OTLP Exporter Go', transport: 'grpc', key: 'bootstrap', accepted: 1, refused: 0 },
      {
        name: 'curl',
        version: '8.5.0',
        key: null,
        refused: 2,
        requests: 0,
        trouble: { reason: 'too_large' },
      },
      {
        name: 'OTel-OTLP-Exporter-Python',
        transport: 'http/protobuf',
        requests: 3,
        accepted: 2,
        rejected: 1,
        duplicates: 1,
        sdks: ['python opentelemetry 1.30.0'],
        services: ['shop'],
        trouble: { reason: 'no_start_time' },
      },
    ]);
    expect(after.minutes.reduce((sum, minute) => sum + minute.accepted, 0)).toBe(3);
  });

  it('shows another project nothing of it', async () => {
    const other = await health('other');
    expect([other.troubles, other.clients]).toEqual([[], []]);
    expect(other.signals.every(({ requests }) => requests === 0)).toBe(true);
  });
});
