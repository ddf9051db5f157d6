import { expect, it } from 'vitest';
import { curlOf } from './curl.ts';

it('writes a command that survives quotes in the query', () => {
  expect(curlOf('http://h', '/api/x', { body: { q: `name:"it's"` } })).toBe(
    String.raw`curl -sS 'http://h/api/x' -H 'Content-Type: application/json' -d '{"q":"name:\"it'\''s\""}'`,
  );
  expect(curlOf('http://h', '/api/x')).not.toContain('-d');
});

it('asks the environment on screen', () => {
  expect(curlOf('http://h', '/api/x', { environment: 'staging' })).toContain(
    "-H 'X-Platform-Environment: staging'",
  );
});

it('names a key only where one is needed', () => {
  expect(curlOf('http://h', '/api/x')).not.toContain('Authorization');
  expect(curlOf('http://h', '/api/x', { needsKey: true })).toContain("-H 'Authorization: Bearer <api key>'");
});
