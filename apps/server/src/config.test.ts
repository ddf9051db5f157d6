import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError, generateConfigurationDoc, readConfig, unknownVariables } from './config.ts';
import { retentionDaysOf } from './ingest/retention.ts';
import { oneInOf } from './ingest/sampling.ts';

describe('configuration', () => {
  it('has a default for everything', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      otlpHttpPort: 4318,
      otlpGrpcPort: 4317,
      ingestAnonymous: true,
      otlpMaxBytes: 16 * 1024 * 1024,
      logCapBytes: 2 * 1024 ** 3,
      mediaMaxBytes: 10 * 1024 ** 2,
      mediaProjectBytes: 256 * 1024 ** 2,
      retention: { traces: { days: 30 }, logs: { days: 30 }, metrics: { days: 90 } },
      rateLimitPerMinute: 1200,
      shutdownGraceMs: 25_000,
    });
    expect(config.bootstrapApiKey).toBeUndefined();
    expect(config.dataDir).toMatch(/^\/.*data$/);
  });

  it('refuses a cluster without the address of a server', () => {
    expect(() => readConfig({ PLATFORM_CLICKHOUSE_CLUSTER: 'main' })).toThrow(
      /PLATFORM_CLICKHOUSE_URL is not/,
    );
    const both = { PLATFORM_CLICKHOUSE_CLUSTER: 'main', PLATFORM_CLICKHOUSE_URL: 'http://clickhouse:8123' };
    expect(readConfig(both).clickhouseCluster).toBe('main');
  });

  it.each(['10', '1,shop=10'])('refuses to sample traces in tables of a cluster: %s', (sampling) => {
    const cluster = {
      PLATFORM_CLICKHOUSE_CLUSTER: 'main',
      PLATFORM_CLICKHOUSE_URL: 'http://clickhouse:8123',
    };
    expect(() => readConfig({ ...cluster, PLATFORM_TRACE_SAMPLING: sampling })).toThrow(
      /tables of a cluster .* are not sampled/,
    );
    expect(readConfig({ ...cluster, PLATFORM_TRACE_SAMPLING: '1,shop=1' }).sampling.oneIn).toBe(1);
    expect(readConfig({ PLATFORM_TRACE_SAMPLING: '10' }).sampling.oneIn).toBe(10);
  });

  it('treats empty as unset', () => {
    expect(readConfig({ PLATFORM_PORT: ' ', PLATFORM_BOOTSTRAP_API_KEY: '' }).port).toBe(3000);
  });

  it.each([
    ['PLATFORM_PORT', 'abc', /PLATFORM_PORT is "abc", but takes a port number from 0 to 65535/],
    ['PLATFORM_PORT', '70000', /port number/],
    ['PLATFORM_PORT', '-1', /port number/],
    ['PLATFORM_PUBLIC_URL', 'ftp://x', /http or https URL/],
    ['PLATFORM_PUBLIC_URL', 'candela.test', /http or https URL/],
    ['PLATFORM_INGEST_ANONYMOUS', 'yes', /"loopback" or "false"/],
    ['PLATFORM_OTLP_MAX_BYTES', 'lots', /number of bytes/],
    ['PLATFORM_OTLP_MAX_BYTES', '10', /at least 1024/],
    ['PLATFORM_RETENTION_DAYS_LOGS', '0', /1 to 3650/],
    ['PLATFORM_RETENTION_DAYS_LOGS', 'shop=7', /30,shop=7/],
    ['PLATFORM_RETENTION_DAYS_LOGS', '30,shop=0', /1 to 3650/],
    ['PLATFORM_TRACE_SAMPLING', '3', /500 or 1000/],
    ['PLATFORM_TRACE_SAMPLING', '10,shop=0', /10,shop=100/],
    ['PLATFORM_TRACE_SAMPLING_AFTER', '1', /24 to 8760/],
    ['PLATFORM_TRACE_SAMPLING_COST', '-1', /0 to 1000000/],
    ['PLATFORM_PROFILE', 'tiny', /auto, small, standard/],
    ['PLATFORM_RETENTION_DAYS_LOGS', '30,shop=7,shop=8', /1 to 3650/],
    ['PLATFORM_RETENTION_DAYS_LOGS', '30,7', /single projects/],
    ['PLATFORM_RETENTION_DAYS_LOGS', '30,', /single projects/],
    ['PLATFORM_LOG_LEVEL', 'loud', /one of debug/],
    ['PLATFORM_RATE_LIMIT', '1e3', /whole number/],
  ])('%s=%s stops the start', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message);
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  });

  it('masks secrets', () => {
    try {
      readConfig({ PLATFORM_BOOTSTRAP_API_KEY: 'too-secret!', PLATFORM_CLICKHOUSE_URL: 'x://u:pass-word@h' });
      expect.unreachable();
    } catch (error) {
      expect(String(error)).toContain('PLATFORM_BOOTSTRAP_API_KEY');
      expect(String(error)).toContain('PLATFORM_CLICKHOUSE_URL');
      expect(String(error)).not.toMatch(/too-secret|pass-word/);
    }
  });

  it('reports every problem at once', () => {
    expect(() => readConfig({ PLATFORM_PORT: 'a', PLATFORM_OTLP_HTTP_PORT: 'b' })).toThrow(
      /PLATFORM_PORT[\s\S]*PLATFORM_OTLP_HTTP_PORT/,
    );
  });

  it.each([
    ['500MB', 500_000_000],
    ['1.5 GiB', 1_610_612_736],
    ['65536', 65_536],
  ])('reads %s as bytes', (value, expected) => {
    expect(readConfig({ PLATFORM_OTLP_MAX_BYTES: value }).otlpMaxBytes).toBe(expected);
  });

  it('takes retention for single projects', () => {
    const { traces } = readConfig({ PLATFORM_RETENTION_DAYS_TRACES: '30, shop=7,audit = 365' }).retention;
    expect(['default', 'shop', 'audit', 'toString'].map((id) => retentionDaysOf(traces, id))).toEqual([
      30, 7, 365, 30,
    ]);
  });

  it('takes the share of traces that is kept, for single projects too', () => {
    expect(readConfig({}).sampling).toMatchObject({
      oneIn: 1,
      slowMs: 10_000,
      costUsd: 0.5,
      scoreBelow: 0.5,
    });
    const { sampling } = readConfig({
      PLATFORM_TRACE_SAMPLING: '10, shop=100',
      PLATFORM_TRACE_SAMPLING_SCORE: '-0.25',
    });
    expect(['default', 'shop', 'toString'].map((id) => oneInOf(sampling, id))).toEqual([10, 100, 10]);
    expect(sampling).toMatchObject({ scoreBelow: -0.25, afterMs: 86_400_000 });
    expect(readConfig({ PLATFORM_PROFILE: 'small' }).profile).toBe('small');
  });

  it('notices variables that are probably misspelt', () => {
    expect(unknownVariables({ PLATFORM_PROT: '1', PLATFORM_PORT: '1', HOME: '/' })).toEqual([
      'PLATFORM_PROT',
    ]);
  });

  it('hands the local collector its own variables and no secret of the platform', () => {
    const env = {
      PATH: '/usr/bin',
      HOST_PROC: '/host/proc',
      OTEL_GPU_PROCESS_CMDLINE: 'false',
      K8S_NODE_NAME: 'node-1',
      PLATFORM_HOST_METRICS: 'true',
      PLATFORM_BOOTSTRAP_API_KEY: 'a-key-of-sixteen-or-more',
      PLATFORM_CLICKHOUSE_URL: 'http://user:password@store:8123',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20elsewhere',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NODE_OPTIONS: '--inspect',
    };
    expect(Object.keys(readConfig(env).localCollectorEnv)).toEqual([
      'PATH',
      'HOST_PROC',
      'OTEL_GPU_PROCESS_CMDLINE',
      'K8S_NODE_NAME',
      'PLATFORM_HOST_METRICS',
    ]);
    expect(unknownVariables(env)).toEqual([]);
  });

  it('is documented as it is', () => {
    const file = new URL('../../../docs/configuration.md', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(generateConfigurationDoc());
  });
});
