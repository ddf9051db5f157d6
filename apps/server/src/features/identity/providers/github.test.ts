import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { githubProvider } from './github.ts';
import type { SignInProvider } from './provider.ts';

/** What GitHub's documentation says it answers, on a real socket. */
let server: Server;
let provider: SignInProvider;
let emails: object[];
let asked: { path: string; authorization: string | undefined; body: string }[];
beforeEach(async () => {
  asked = [];
  emails = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'octo@example.com', primary: true, verified: true },
  ];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString();
      asked.push({ path, authorization: request.headers.authorization, body });
      const answers = new Map<string, object>([
        ['/login/oauth/access_token', { access_token: 'gho_1', token_type: 'bearer', scope: 'user:email' }],
        ['/user', { id: 583_231, login: 'octocat', name: null }],
        ['/user/emails', emails],
      ]);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answers.get(path) ?? {}));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  provider = githubProvider({ clientId: 'id', clientSecret: 'secret', webUrl: url, apiUrl: url });
});
afterEach(() => {
  server.close();
});

const journey = { state: 'the-state', nonce: 'n', codeVerifier: 'v'.repeat(43) };
const callback = (search: string) => new URL(`http://localhost/sign-in/github${search}`);

describe('GitHub', () => {
  it('is asked with state and a challenge', async () => {
    const url = new URL(await provider.start('http://localhost/sign-in/github', journey));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'id',
      response_type: 'code',
      state: 'the-state',
      code_challenge_method: 'S256',
      redirect_uri: 'http://localhost/sign-in/github',
    });
  });

  it('tells who it is by number, and the address it verified', async () => {
    expect(await provider.finish(callback('?code=c&state=the-state'), journey)).toMatchObject({
      subject: expect.stringMatching(/\|583231$/) as string,
      email: 'octo@example.com',
      emailVerified: true,
      name: 'octocat',
    });
    const [exchange, user] = asked;
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toMatchObject({
      code: 'c',
      code_verifier: journey.codeVerifier,
      client_secret: 'secret',
    });
    expect(user?.authorization).toMatch(/^bearer gho_1$/i);
  });

  it('vouches for no address that is not the verified main one', async () => {
    emails = [
      { email: 'octo@example.com', primary: true, verified: false },
      { email: 'old@example.com', primary: false, verified: true },
    ];
    const proven = await provider.finish(callback('?code=c&state=the-state'), journey);
    expect([proven.email, proven.emailVerified]).toEqual([undefined, false]);
  });

  it('is not believed with another state, or when it says no', async () => {
    await expect(provider.finish(callback('?code=c&state=other'), journey)).rejects.toThrow();
    await expect(
      provider.finish(callback('?error=access_denied&state=the-state'), journey),
    ).rejects.toThrow();
    expect(asked).toEqual([]);
  });
});
