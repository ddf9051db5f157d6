import { describe, expect, it } from 'vitest';
import { createOriginPolicy } from './cross-origin.ts';

const OWN = 'https://app.example.com';
const policy = createOriginPolicy([OWN, 'http://localhost:3000']);
const allowed = (origin: string) =>
  policy.headers(origin, 'unread')['access-control-allow-origin'] === origin;

describe('origins of web pages', () => {
  it('are compared as they are written', () => {
    expect(allowed(OWN)).toBe(true);
    for (const other of [
      'https://app.example.com/',
      'https://APP.example.com',
      'http://app.example.com',
      'https://app.example.com:443',
      'https://app.example.com.evil.example',
      'https://evil.example/https://app.example.com',
      'null',
      '*',
      '',
    ]) {
      expect([other, allowed(other)]).toEqual([other, false]);
    }
  });

  it('that are not on the list are refused where the route says so', () => {
    expect(() => policy.headers('https://evil.example', 'refused')).toThrow(/PLATFORM_ALLOWED_CORS_ORIGINS/);
    expect(policy.headers(OWN, 'refused')).toMatchObject({
      'access-control-allow-origin': OWN,
      vary: 'origin',
    });
    // A server sends none.
    expect(policy.headers(undefined, 'refused')).toEqual({ vary: 'origin' });
  });

  it('may ask first what they may send', () => {
    expect(policy.preflight(OWN, 'POST')).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST', 'access-control-allow-origin': OWN },
    });
    const refused = policy.preflight('https://evil.example', 'POST');
    expect(refused).toEqual({ status: 403, headers: { vary: 'origin' } });
  });
});
