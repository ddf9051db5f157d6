import { randomBytes } from 'node:crypto';
import { CONFIG_MASK } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { maskConfig, unmaskConfig } from './masks.ts';
import { readAgentMessage, writeServerMessage } from './messages.ts';
import { field, fieldsOf, OpampError } from './wire.ts';

const CONFIG = `receivers:
  otlp: # where it listens
    protocols: {grpc: {endpoint: 0.0.0.0:4317}}
exporters:
  otlp_http:
    endpoint: https://user:hunter22@candela.example.com
    headers:
      Authorization: Bearer abcdefghijklmnopqrstuvwxyz
      x-tenant: "7"
  kafka:
    auth: {sasl: {username: app, password: pa55, mechanism: PLAIN}}
    tls: {key_pem: "-----BEGIN", ca_file: /etc/ca.pem}
  datadog:
    api: {key: 0123456789abcdef0123456789abcdef, site: eu}
  awss3: {access_key_id: AKIAIOSFODNN7EXAMPLE}
  other: {api_key: "\${env:API_KEY}", tokens_per_second: 5}
extensions:
  note: sk-proj-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
`;

describe('a configuration', () => {
  it('is shown without its secrets, and with everything else', () => {
    const shown = maskConfig(CONFIG);
    for (const secret of [
      'hunter22',
      'abcdefghij',
      'pa55',
      'BEGIN',
      '0123456789abcdef',
      'AKIA',
      'sk-proj',
      '"7"',
    ])
      expect(shown).not.toContain(secret);
    for (const kept of [
      '0.0.0.0:4317',
      `https://${CONFIG_MASK}@candela.example.com`,
      'username: app',
      '/etc/ca.pem',
      'site: eu',
      '${env:API_KEY}',
      'tokens_per_second: 5',
      '# where it listens',
    ])
      expect(shown).toContain(kept);
  });

  it('that cannot be read is not shown at all', () => {
    expect(maskConfig('a: [1\nb: "secret')).not.toContain('secret');
    expect(maskConfig('x'.repeat(300_000))).toMatch(/^# Too long/);
    // A bomb of aliases stays what it is.
    const bomb = `a: &a [x,x]\n${Array.from({ length: 30 }, (_, at) => `a${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *${at === 0 ? 'a' : `b${at - 1}`}]`).join('\n')}\n`;
    expect(maskConfig(bomb).length).toBeLessThan(10_000);
  });

  it('comes back with the secrets that were masked, and with no mask where nothing was', () => {
    const edited = maskConfig(CONFIG).replace('site: eu', 'site: us');
    const whole = unmaskConfig(edited, CONFIG);
    for (const part of ['hunter22', 'abcdefghij', 'pa55', 'AKIA', 'site: us', '# where it listens'])
      expect(whole).toContain(part);
    expect(whole).not.toContain(CONFIG_MASK);
    expect(unmaskConfig(CONFIG, undefined)).toBe(CONFIG);
    expect(() => unmaskConfig(edited, undefined)).toThrow(/is masked/);
    expect(() => unmaskConfig(`new: {password: ${CONFIG_MASK}}`, CONFIG)).toThrow('new.password is masked');
    for (const none of ['- a\n- b', 'text', 'a: [', ''])
      expect(() => unmaskConfig(none, CONFIG)).toThrow('no YAML');
  });
});

describe('messages of OpAMP', () => {
  const uid = Buffer.alloc(16, 0xab);

  it('are read as far as they are well formed, and refused beyond', () => {
    const attribute = (key: string, value: Buffer) =>
      field(1, Buffer.concat([field(1, key), field(2, value)]));
    const nested = (depth: number): Buffer =>
      depth === 0
        ? field(1, 1n)
        : Buffer.concat([
            field(3, `e${depth}`),
            field(6, Buffer.concat([field(1, `p${depth}`), field(2, nested(depth - 1))])),
          ]);
    const message = Buffer.concat([
      field(1, uid),
      field(2, 300n),
      field(
        3,
        Buffer.concat([attribute('service.name', field(1, 'gate\u0000way')), attribute('n', field(3, 5n))]),
      ),
      field(4, 0x807n),
      field(5, nested(50)),
      field(99, 'of a later version'),
    ]);
    const read = readAgentMessage(message);
    expect(read).toMatchObject({
      uid: 'ab'.repeat(16),
      sequence: 300n,
      capabilities: 0x807,
      attributes: { 'service.name': 'gate way', n: '5' },
      health: { healthy: false, error: 'e50' },
      remote: undefined,
    });
    expect(read.health?.parts.length).toBe(4);
    for (let end = 0; end < message.length; end += 1) {
      try {
        readAgentMessage(message.subarray(0, end));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(OpampError);
      }
    }
    for (let time = 0; time < 2_000; time += 1) {
      try {
        readAgentMessage(Buffer.concat([field(1, uid), randomBytes(40)]));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(OpampError);
      }
    }
    for (const bad of [
      field(1, Buffer.alloc(15)),
      Buffer.alloc(0),
      Buffer.concat([field(1, uid), Buffer.alloc(11, 0xff)]),
      Buffer.concat(Array.from({ length: 20_001 }, () => field(20, 1n))),
    ])
      expect(() => readAgentMessage(bad)).toThrow(OpampError);
  });

  it('are written as protobuf writes them', () => {
    const sent = writeServerMessage({
      uid: 'ab'.repeat(16),
      config: { body: 'a: 1', hash: '0102' },
      wantsAll: true,
    });
    expect(sent.toString('hex')).toBe(
      // 1: uid; 3: {1: {1: {1: "", 2: {1: "a: 1", 2: "text/yaml"}}}, 2: hash}; 6: 1; 7: 7
      `0a10${'ab'.repeat(16)}1a1d0a170a150a0012110a04613a20311209746578742f79616d6c120201023001` + '3807',
    );
    expect([...fieldsOf(sent)].map(({ number }) => number)).toEqual([1, 3, 6, 7]);
  });
});
