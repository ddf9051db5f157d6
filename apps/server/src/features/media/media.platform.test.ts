import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

/** Media as clients of Langfuse upload it: announced, sent to the address of the answer, reported. */

const MINUTE = 60_000;
let place: Installation;
let owner: Browser;
let basic: string;

const basicOf = (key: unknown) => `Basic ${Buffer.from(`pk-lf-x:${String(key)}`).toString('base64')}`;

beforeAll(async () => {
  place = await openInstallation({
    PLATFORM_MEDIA_MAX_BYTES: '2048',
    PLATFORM_MEDIA_PROJECT_BYTES: '4600',
  });
  owner = await place.own();
  basic = basicOf((await owner.call('POST', '/api/api-key', { name: 'sender' })).data.apiKey);
});
afterAll(() => place.close());

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');
const idOf = (bytes: Uint8Array) => hashOf(bytes).replaceAll('+', '-').replaceAll('/', '_').slice(0, 22);

interface Told {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
async function ask(
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Told> {
  const answer = await fetch(`${place.platform.http}${path}`, {
    method,
    headers: { authorization: basic, ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const announcement = (bytes: Uint8Array, contentType: string) => ({
  traceId: 'a'.repeat(32),
  observationId: 'b'.repeat(16),
  contentType,
  contentLength: bytes.byteLength,
  sha256Hash: hashOf(bytes),
  field: 'input',
});
const announce = (bytes: Uint8Array, contentType: string, more: object = {}) =>
  ask('POST', '/api/public/media', { ...announcement(bytes, contentType), ...more });
const put = (url: unknown, bytes: Uint8Array, contentType: string) =>
  fetch(String(url), {
    method: 'PUT',
    body: Uint8Array.from(bytes),
    headers: { 'content-type': contentType },
  });
async function stored(bytes: Uint8Array, contentType: string): Promise<string> {
  const { body } = await announce(bytes, contentType);
  expect((await put(body['uploadUrl'], bytes, contentType)).status).toBe(200);
  return String(body['mediaId']);
}
const recordOf = (id: string, more: Record<string, string> = {}) =>
  ask('GET', `/api/public/media/${id}`, undefined, more);

it('goes from the port of telemetry to the page, byte by byte', async () => {
  // A sender has one base address and one credential.
  const bytes = Uint8Array.from({ length: 1_500 }, (_, n) => (n * 7) % 256);
  const said = await fetch(`${place.platform.otlpHttp}/api/public/media`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify(announcement(bytes, 'image/png')),
  });
  const { mediaId, uploadUrl } = (await said.json()) as { mediaId: string; uploadUrl: string };
  expect([said.status, mediaId]).toEqual([201, idOf(bytes)]);
  expect(uploadUrl.startsWith(`${place.platform.otlpHttp}/api/public/media/${mediaId}/content?`)).toBe(true);
  expect((await recordOf(mediaId)).body).toEqual({
    err: 'The content of the media item, which was never sent, was not found.',
  });
  const sent = await put(uploadUrl, bytes, 'image/png');
  expect([sent.status, await sent.json()]).toEqual([200, { mediaId }]);
  const reported = await ask('PATCH', `/api/public/media/${mediaId}`, {
    uploadedAt: new Date().toISOString(),
    uploadHttpStatus: 200,
    uploadHttpError: '',
    uploadTimeMs: 12,
  });
  expect(reported).toEqual({ status: 200, body: { mediaId } });

  const { body } = await recordOf(mediaId);
  expect(body).toMatchObject({ mediaId, contentType: 'image/png', contentLength: 1_500 });
  // A page shows it without a header of its own: the address is the credential.
  const content = await fetch(String(body['url']));
  expect(new Uint8Array(await content.arrayBuffer())).toEqual(bytes);
  expect(Object.fromEntries(content.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '1500',
    'content-disposition': `inline; filename="${mediaId}.png"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  // What is here is not sent again; one of another project is sent there, too.
  expect((await announce(bytes, 'image/png')).body).toEqual({ mediaId, uploadUrl: null });
});

it('names addresses by the scheme that a trusted proxy was reached by', async () => {
  const id = await stored(Uint8Array.of(5, 6, 7), 'image/png');
  const told = async (from: Installation, sender: string) => {
    const answer = await fetch(`${from.platform.http}/api/public/media/${id}`, {
      headers: { authorization: sender, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
    });
    return new URL(((await answer.json()) as { url: string }).url).protocol;
  };
  // Whoever is no proxy of ours may write what they like.
  expect(await told(place, basic)).toBe('http:');
  const proxied = await openInstallation({ PLATFORM_TRUSTED_PROXIES: '127.0.0.1,::1' });
  try {
    const admin = await proxied.own();
    const sender = basicOf((await admin.call('POST', '/api/api-key', { name: 'sender' })).data.apiKey);
    const bytes = Uint8Array.of(5, 6, 7);
    const announced = await fetch(`${proxied.platform.http}/api/public/media`, {
      method: 'POST',
      headers: { authorization: sender, 'x-forwarded-proto': 'https' },
      body: JSON.stringify(announcement(bytes, 'image/png')),
    });
    const { uploadUrl } = (await announced.json()) as { uploadUrl: string };
    expect(uploadUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/api\/public\/media\//);
    await put(uploadUrl.replace('https:', 'http:'), bytes, 'image/png');
    expect(await told(proxied, sender)).toBe('https:');
  } finally {
    await proxied.close();
  }
});

it('gives the part that a player asks for', async () => {
  const bytes = Uint8Array.from({ length: 700 }, (_, n) => (n * 11) % 256);
  const id = await stored(bytes, 'audio/wav');
  const address = String((await recordOf(id)).body['url']);
  const part = async (range: string) => {
    const answer = await fetch(address, { headers: { range } });
    const body = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(body.byteLength));
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    return [answer.status, answer.headers.get('content-range'), body];
  };
  expect(await part('bytes=0-1')).toEqual([206, 'bytes 0-1/700', bytes.subarray(0, 2)]);
  expect(await part('bytes=650-')).toEqual([206, 'bytes 650-699/700', bytes.subarray(650)]);
  expect(await part('bytes=690-5000')).toEqual([206, 'bytes 690-699/700', bytes.subarray(690)]);
  expect(await part('bytes=-3')).toEqual([206, 'bytes 697-699/700', bytes.subarray(697)]);
  expect(await part('bytes=-9999')).toEqual([206, 'bytes 0-699/700', bytes]);
  for (const none of ['bytes=700-', 'bytes=-0'])
    expect(await part(none)).toEqual([416, 'bytes */700', new Uint8Array()]);
  // No plain range of bytes: all of it.
  for (const other of ['bytes=5-4', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=', 'bytes=a-b'])
    expect(await part(other)).toEqual([200, null, bytes]);
});

it.each([
  ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['text/html', '<script>alert(1)</script>'],
  ['application/pdf', '%PDF-1.4'],
])('a document (%s) is saved, never shown as a page of ours', async (type, text) => {
  const id = await stored(Buffer.from(text), type);
  const content = await fetch(String((await recordOf(id)).body['url']));
  expect(await content.text()).toBe(text);
  expect(content.headers.get('content-disposition')).toMatch(/^attachment; /);
  expect(content.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

it('takes what was announced and nothing else', async () => {
  const bytes = Buffer.from('the content that was announced');
  const { body } = await announce(bytes, 'audio/wav');
  const other = Buffer.from('THE content that was announced');
  const refused = await put(body['uploadUrl'], other, 'audio/wav');
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('another SHA-256')]);
  expect((await put(body['uploadUrl'], bytes.subarray(1), 'audio/wav')).status).toBe(422);
  expect((await put(body['uploadUrl'], Buffer.concat([bytes, bytes]), 'audio/wav')).status).toBe(413);
  expect((await put(body['uploadUrl'], bytes, 'text/html')).status).toBe(415);
  await ask('PATCH', `/api/public/media/${idOf(bytes)}`, {
    uploadedAt: new Date().toISOString(),
    uploadHttpStatus: 422,
    uploadHttpError: 'refused',
  });
  expect((await recordOf(idOf(bytes))).body['err']).toContain('could not be sent (422 refused)');
  // The address of one item is none of another, and none for another use.
  const elsewhere = String(body['uploadUrl']).replace(idOf(bytes), idOf(other));
  expect((await put(elsewhere, other, 'audio/wav')).status).toBe(403);
  expect((await fetch(String(body['uploadUrl']))).status).toBe(403);
  const forged = String(body['uploadUrl']).replace(/(token=.{80})(.)/, (_, before: string, one: string) =>
    one === 'A' ? `${before}B` : `${before}A`,
  );
  expect((await put(forged, bytes, 'audio/wav')).status).toBe(403);
  place.clock.shift += 16 * MINUTE;
  expect((await put(body['uploadUrl'], bytes, 'audio/wav')).status).toBe(403);
  const again = await announce(bytes, 'audio/wav');
  expect((await put(again.body['uploadUrl'], bytes, 'audio/wav')).status).toBe(200);
  // Twice is once.
  expect((await put(again.body['uploadUrl'], bytes, 'audio/wav')).status).toBe(200);
  const address = String((await recordOf(idOf(bytes))).body['url']);
  expect(await (await fetch(address)).text()).toBe(bytes.toString());
  place.clock.shift += 61 * MINUTE;
  expect((await fetch(address)).status).toBe(403);
});

it('has bounds: an item, a project, types, whom it belongs to', async () => {
  const bytes = Buffer.alloc(2_049, 'x');
  expect(await announce(bytes, 'image/png')).toMatchObject({
    status: 422,
    body: { err: expect.stringContaining('PLATFORM_MEDIA_MAX_BYTES') },
  });
  expect((await announce(Buffer.from('x'), 'application/x-msdownload')).status).toBe(400);
  expect((await announce(Buffer.from('x'), 'image/png', { traceId: null })).status).toBe(400);
  expect((await announce(Buffer.from('x'), 'image/png', { sha256Hash: 'x' })).status).toBe(400);
  expect((await announce(Buffer.alloc(2_000, 'a'), 'image/png')).status).toBe(201);
  expect(await announce(Buffer.alloc(2_000, 'b'), 'image/png')).toMatchObject({
    status: 422,
    body: { err: expect.stringContaining('PLATFORM_MEDIA_PROJECT_BYTES') },
  });
});

it("goes when a user's data is deleted, unless a span of another has it too", async () => {
  const project = String((await owner.call('POST', '/api/projects', { name: 'Erased' })).data.id);
  const made = await owner.call('POST', '/api/api-key', { name: 'erases', projectId: project });
  const authorization = basicOf(made.data.apiKey);
  const own = Buffer.from('of ada alone');
  const common = Buffer.from('of both');
  const whole = Buffer.from('of the trace');
  const [ada, bob] = ['a1'.repeat(8), 'b0'.repeat(8)];
  const traceId = 'ad'.repeat(16);
  const send = async (bytes: Buffer, observationId: string | null) => {
    const to = { ...announcement(bytes, 'text/plain'), traceId: traceId.toUpperCase(), observationId };
    const said = await ask('POST', '/api/public/media', to, { authorization });
    if (said.body['uploadUrl'] !== null) await put(said.body['uploadUrl'], bytes, 'text/plain');
    return String(said.body['mediaId']);
  };
  const spanOf = (spanId: string, user: string) => ({
    traceId,
    spanId,
    name: 'call',
    startTimeUnixNano: `${place.clock.now()}000000`,
    endTimeUnixNano: `${place.clock.now()}000000`,
    attributes: [{ key: 'user.id', value: { stringValue: user } }],
  });
  const spans = [spanOf(ada, 'ada'), spanOf(bob, 'bob')];
  const sent = await fetch(`${place.platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  expect(sent.status).toBe(200);
  const ids = [
    await send(own, ada),
    await send(common, ada),
    await send(common, bob),
    await send(whole, null),
  ];
  const there = () => Promise.all(ids.map(async (id) => (await recordOf(id, { authorization })).status));
  const erase = async (userId: string, dryRun: boolean) => {
    const headers = { 'x-platform-project-id': project };
    const { data } = await owner.call('POST', '/api/erasure', { userId, dryRun }, headers);
    return data.media;
  };
  expect(await erase('ada', true)).toEqual({ before: 2, after: 2 });
  expect(await there()).toEqual([200, 200, 200, 200]);
  expect(await erase('ada', false)).toEqual({ before: 2, after: 1 });
  expect(await there()).toEqual([404, 200, 200, 200]);
  expect(await erase('bob', false)).toEqual({ before: 2, after: 0 });
  expect(await there()).toEqual([404, 404, 404, 404]);
  expect(await erase('bob', false)).toEqual({ before: 0, after: 0 });
});

it('belongs to a project, is for keys that may, and goes with its days and its project', async () => {
  const project = String((await owner.call('POST', '/api/projects', { name: 'Other' })).data.id);
  const key = async (body: object) => {
    const made = await owner.call('POST', '/api/api-key', { name: 'other', ...body });
    return { authorization: basicOf(made.data.apiKey) };
  };
  const other = await key({ projectId: project });
  const [reader, sender] = [await key({ scopes: ['telemetry'] }), await key({ scopes: ['ingest'] })];
  const bytes = Buffer.from('of one project');
  const id = await stored(bytes, 'text/plain');
  expect((await recordOf(id, other)).status).toBe(404);
  expect((await recordOf(id, reader)).status).toBe(200);
  expect((await recordOf(id, sender)).status).toBe(403);
  expect((await ask('POST', '/api/public/media', announcement(bytes, 'text/plain'), reader)).status).toBe(
    403,
  );
  expect(
    (await ask('POST', '/api/public/media', announcement(bytes, 'text/plain'), other)).body,
  ).toMatchObject({
    mediaId: id,
    uploadUrl: expect.any(String),
  });
  // Basic is for these routes alone.
  expect((await ask('GET', '/api/telemetry/views')).status).toBe(401);

  place.clock.shift += 31 * 24 * 60 * MINUTE;
  await owner.call('POST', '/api/auth/sign-in', {
    email: 'owner@example.com',
    password: 'correct horse battery',
  });
  expect((await owner.call('POST', '/api/jobs/media-retention/run')).status).toBeLessThan(300);
  await expect.poll(async () => (await recordOf(id)).status).toBe(404);
});
