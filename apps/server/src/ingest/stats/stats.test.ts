import { describe, expect, it } from 'vitest';
import { clientOf } from './client.ts';
import type { Caller } from '../types.ts';
import { IngestStats, type Taken } from './stats.ts';

const caller = (changes: Partial<Caller> = {}): Caller => ({
  receiver: 'http',
  signal: 'traces',
  format: 'protobuf',
  userAgent: 'OTel-OTLP-Exporter-Python/1.30.0',
  context: { projectId: 'p1', principal: { kind: 'key', id: 'k1' } },
  ...changes,
});
const taken = (changes: Partial<Taken> = {}): Taken => ({
  accepted: 3,
  rejected: 0,
  reasons: new Map(),
  adjusted: new Map(),
  message: '',
  duplicate: false,
  wireBytes: 100,
  sdks: ['python opentelemetry 1.30.0'],
  services: ['shop'],
  ...changes,
});

describe('name of a client', () => {
  it.each([
    ['OTel-OTLP-Exporter-Python/1.30.0', 'OTel-OTLP-Exporter-Python', '1.30.0'],
    ['OpenTelemetry Collector Contrib/0.120.0 (linux/amd64)', 'OpenTelemetry Collector Contrib', '0.120.0'],
    ['OTel OTLP Exporter Go/1.34.0 grpc-go/1.70.0', 'OTel OTLP Exporter Go', '1.34.0'],
    ['grpc-node-js/1.12', 'grpc-node-js', '1.12'],
    ['curl', 'curl', ''],
    ['My agent (beta)', 'My agent', ''],
    [undefined, '', ''],
    ['evil\u0000\u001b[31m/1\n2', 'evil [31m', '1'],
    ['a'.repeat(5_000), 'a'.repeat(60), ''],
  ])('%s', (agent, name, version) => {
    expect(clientOf(agent)).toEqual({ name, version });
  });
});

describe('stats', () => {
  it('counts by project, signal and client, duplicates apart', () => {
    const stats = new IngestStats({ now: () => 1_000_000 });
    stats.taken(caller(), taken());
    stats.taken(caller(), taken({ duplicate: true }));
    stats.taken(caller({ signal: 'logs' }), taken({ accepted: 2 }));
    stats.taken(caller({ context: { projectId: 'p2', principal: { kind: 'anonymous' } } }), taken());
    const page = stats.of('p1');
    expect(page?.signals.get('traces')).toEqual({
      lastAtMs: 1_000_000,
      requests: 2,
      accepted: 3,
      rejected: 0,
      duplicates: 1,
      refused: 0,
      bytes: 200,
    });
    expect(page?.clients.size).toBe(1);
    expect([...(page?.clients.values() ?? [])][0]).toMatchObject({
      requests: 3,
      accepted: 5,
      duplicates: 1,
      sdks: new Set(['python opentelemetry 1.30.0']),
      services: new Set(['shop']),
    });
    expect(stats.of('p2')?.signals.get('traces')?.accepted).toBe(3);
    expect(stats.of('p3')).toBeUndefined();
  });

  it('keeps the last words of every reason, and those of strangers apart', () => {
    let now = 60_000;
    const stats = new IngestStats({ now: () => now });
    const partial = { rejected: 2, reasons: new Map([['no_start_time', 2]]), message: '2 of 5 refused.' };
    stats.taken(caller(), taken(partial));
    now += 500;
    stats.taken(caller({ userAgent: 'curl/8' }), taken({ ...partial, message: 'again' }));
    stats.refused(caller(), 'too_large', 'x'.repeat(10_000));
    stats.refused(caller({ context: undefined }), 'unknown_credential', 'not known');
    const troubles = [...(stats.of('p1')?.troubles.values() ?? [])];
    expect(troubles[0]).toMatchObject({
      what: 'record',
      reason: 'no_start_time',
      count: 4,
      lastAtMs: 60_500,
      message: 'again',
      client: 'curl 8',
    });
    expect(troubles[1]?.message).toHaveLength(400);
    expect([...stats.strangers.troubles.values()]).toMatchObject([{ reason: 'unknown_credential' }]);
    expect(stats.of('p1')?.signals.get('traces')?.refused).toBe(1);
  });

  it('stays small whatever names are sent', () => {
    const stats = new IngestStats({ now: () => 0 });
    for (let index = 0; index < 2_000; index += 1) {
      const context = { projectId: `p${index}`, principal: { kind: 'anonymous' } as const };
      stats.taken(caller({ userAgent: `agent-${index}/1` }), taken({ sdks: [`s${index}`] }));
      stats.refused(caller({ userAgent: `agent-${index}/1`, context: undefined }), 'no_credential', '');
      stats.taken(caller({ context }), taken());
    }
    // A project that goes on sending is not pushed out by those that do not.
    expect([stats.of('p1'), stats.of('p1999')]).not.toContain(undefined);
    expect(stats.of('p2')).toBeUndefined();
    expect(stats.strangers.clients.size).toBe(100);
    expect(stats.strangers.clientsForgotten).toBe(1_900);
  });

  it('shows sixty minutes, the quiet ones too', () => {
    let now = 10 * 3_600_000;
    const stats = new IngestStats({ now: () => now });
    stats.taken(caller(), taken());
    now += 59 * 60_000;
    stats.refused(caller(), 'too_large', '');
    const minutes = stats.of('p1')?.minutes ?? [];
    expect(minutes).toHaveLength(60);
    expect(minutes[0]).toEqual({ startMs: 10 * 3_600_000, accepted: 3, rejected: 0, refused: 0 });
    expect(minutes.at(-1)).toMatchObject({ accepted: 0, refused: 1 });
    now += 60_000;
    stats.taken(caller(), taken());
    expect(stats.of('p1')?.minutes[0]).toMatchObject({ accepted: 0 });
  });
});
