import { describe, expect, it } from 'vitest';
import { createClientAddress, schemeOf } from './client-address.ts';

describe('the address of who sent a request', () => {
  it.each([
    ['no proxy is trusted', [], '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['the connection is of a stranger', ['10.0.0.1'], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['one proxy', ['10.0.0.1'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['what the sender made up', ['10.0.0.1'], '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies', ['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, 203.0.113.9, 10.2.3.4', '203.0.113.9'],
    ['one of two proxies unknown', ['10.0.0.1'], '10.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    ['a port', ['10.0.0.1'], '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['IPv6 with a port', ['::1'], '::1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['IPv6 networks', ['fd00::/8'], 'fd00::9', '2001:db8::5', '2001:db8::5'],
    ['a mapped address of the proxy', ['127.0.0.1'], '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['rubbish', ['10.0.0.1'], '10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
    ['nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ] as const)('%s', (_what, trusted, peer, header, address) => {
    expect(createClientAddress(trusted)(peer, header)).toBe(address);
  });
});

it.each([
  [undefined, 'http'],
  ['https', 'https'],
  ['HTTPS, http', 'https'],
  ['http, https', 'http'],
  ['javascript', 'http'],
] as const)('%s stands for the scheme %s', (header, scheme) => {
  expect(schemeOf(header)).toBe(scheme);
});
