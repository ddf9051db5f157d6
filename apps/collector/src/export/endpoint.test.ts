import { expect, it } from 'vitest';
import { Fault } from '../source.ts';
import { parseEndpoint } from './endpoint.ts';

const http = { protocol: 'http/protobuf', endpointIsComplete: false, insecure: false } as const;
const grpc = { ...http, protocol: 'grpc' } as const;

it.each([
  ['http://localhost:4318', 'http://localhost:4318/v1/metrics', false],
  ['http://localhost:4318/', 'http://localhost:4318/v1/metrics', false],
  ['https://otlp.example/base/path/', 'https://otlp.example/base/path/v1/metrics', true],
  ['https://otlp.example/p?key=1#x', 'https://otlp.example/p/v1/metrics?key=1', true],
  ['http://[::1]:4318', 'http://[::1]:4318/v1/metrics', false],
])('HTTP: %s', (endpoint, target, tls) => {
  expect(parseEndpoint(http, endpoint)).toEqual({ target, tls });
});

it('takes an endpoint for metrics alone as it is', () => {
  const complete = { ...http, endpointIsComplete: true };
  expect(parseEndpoint(complete, 'http://a:4318/in').target).toBe('http://a:4318/in');
  expect(parseEndpoint(complete, 'http://a:4318').target).toBe('http://a:4318/');
});

it.each([
  ['http://localhost:4317', 'localhost:4317', false],
  ['http://localhost', 'localhost:4317', false],
  ['http://localhost:80', 'localhost:80', false],
  ['https://otlp.example:443/ignored', 'otlp.example:443', true],
  ['otlp.example:4317', 'otlp.example:4317', true],
  ['otlp.example', 'otlp.example:4317', true],
  ['http://[::1]:4317', '[::1]:4317', false],
  ['unix:/run/otlp.sock', 'unix:/run/otlp.sock', false],
])('gRPC: %s', (endpoint, target, tls) => {
  expect(parseEndpoint(grpc, endpoint)).toEqual({ target, tls });
});

it('sends without TLS to an address without a scheme only when told to', () => {
  expect(parseEndpoint({ ...grpc, insecure: true }, 'collector:4317').tls).toBe(false);
  expect(parseEndpoint({ ...grpc, insecure: true }, 'https://collector:4317').tls).toBe(true);
});

it.each([
  [http, 'localhost:4318'],
  [http, 'ftp://localhost'],
  [http, 'http://'],
  [grpc, 'ftp://localhost:21'],
  [grpc, 'http://'],
  [grpc, 'local host:1'],
  [grpc, 'localhost:99999'],
])('refuses what is no endpoint (%o)', (otlp, endpoint) => {
  expect(() => parseEndpoint(otlp, endpoint)).toThrow(Fault);
});

it('shows no password in its refusal', () => {
  expect(() => parseEndpoint(http, 'ftp://me:sesame@host')).toThrow(/^(?!.*sesame).*ftp:\/\/host/);
});
