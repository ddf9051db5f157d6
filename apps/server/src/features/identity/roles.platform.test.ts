import { type Access, type RouteDeclaration, ROUTES } from '@candela/contract';
import { ERROR_TABLE, type ErrorCode, hasRole, type Role, ROLES, SCOPES } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Browser } from './testing/browser.ts';
import { type Installation, openInstallation } from './testing/installation.ts';

let place: Installation;
let owner: Browser;
const browsers = new Map<Role, Browser>();
const keys = new Map<string, string>();

beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  browsers.set('owner', owner);
  for (const role of ['admin', 'member', 'viewer'] as const) {
    browsers.set(role, (await place.join(owner, role)).browser);
  }
  for (const scopes of [SCOPES, ...SCOPES.map((scope) => [scope])]) {
    const made = await owner.call('POST', '/api/api-key', { name: 'a key', scopes });
    keys.set(scopes.length > 1 ? 'all' : String(scopes[0]), String(made.data.apiKey));
  }
});
afterAll(async () => {
  await place.close();
});

interface Guarded extends RouteDeclaration {
  readonly permission: Access;
}
const guarded = Object.values<RouteDeclaration>(ROUTES).filter(
  (route): route is Guarded => route.permission !== 'public',
);
/** Nobody's id everywhere: the permission is looked at first, and nothing is harmed where it is given. */
const pathOf = (route: RouteDeclaration) => route.path.replaceAll(/\{\w+\}/g, 'none');
/** What a stream or a route that ends things would do to the tests after it. */
const HARMFUL = new Set(['signOut', 'signOutEverywhere']);

async function ask(route: Guarded, headers: Record<string, string>, browser = place.browser()) {
  // A property nobody knows: what is let in goes no further than validation.
  const body = route.method === 'GET' || route.body === undefined ? undefined : { surprise: true };
  const path = `${pathOf(route)}${route.method === 'GET' ? '?surprise=1' : ''}`;
  const given = body ?? (route.stream === undefined || route.method === 'GET' ? undefined : {});
  return told(await browser.call(route.method, path, given, headers));
}
/** Failures of an envelope are 200: what they would be elsewhere is what their code says. */
function told(answer: Answer): Answer {
  const { code } = answer;
  if (code === null || !Object.hasOwn(ERROR_TABLE, code)) return answer;
  return { ...answer, status: ERROR_TABLE[code as ErrorCode].status };
}
const needsRole = (text: string) => text.includes('needs the role');

describe('roles', () => {
  it.each(guarded.filter(({ id }) => !HARMFUL.has(id)).map((route) => [route.id, route] as const))(
    '%s is for those who may',
    async (_, route) => {
      const { role: least } = route.permission;
      for (const role of ROLES) {
        const browser = browsers.get(role);
        const may = least === 'signed-in' || hasRole(role, least);
        const { status, text } = await ask(route, {}, browser);
        if (may) expect([role, needsRole(text), status === 401], text).toEqual([role, false, false]);
        else expect([role, status, needsRole(text)], text).toEqual([role, 403, true]);
      }
      const nobody = await ask(route, {});
      // Applications are told of the key they did not send.
      const code = route.pace === 'sdk' ? 'no_credential' : 'not_signed_in';
      expect([nobody.status, nobody.code]).toEqual([401, code]);
    },
  );
});

describe('keys', () => {
  it.each(guarded.map((route) => [route.id, route] as const))(
    '%s is for keys with its scope',
    async (_, route) => {
      const { key: needed } = route.permission;
      for (const [scope, apiKey] of keys) {
        const { status, text } = await ask(route, { authorization: `Bearer ${apiKey}` });
        const may = needed !== 'session' && (scope === 'all' || scope === needed);
        const told = [scope, status === 403, status === 401];
        expect(told, text).toEqual([scope, !may, false]);
      }
    },
  );

  it('send telemetry with their scope alone', async () => {
    for (const [scope, apiKey] of keys) {
      const response = await fetch(`${place.platform.otlpHttp}/v1/logs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: '{"resourceLogs":[]}',
      });
      const may = scope === 'all' || scope === 'ingest';
      expect([scope, response.status]).toEqual([scope, may ? 200 : 403]);
    }
  });
});

describe('what a request may not say of itself', () => {
  it('every body of a change is refused with fields it does not know', async () => {
    // What shipped clients send is not ours to choose: routes with an envelope pass over what they do not know.
    const bodies = guarded.filter(
      ({ body, envelope, method }) => body !== undefined && envelope === undefined && method !== 'GET',
    );
    for (const route of bodies) {
      for (const field of ['role', 'userId', 'organisationId', 'projectId', 'permissions', '__proto__']) {
        const shape = (route.body as { def?: { shape?: object } }).def?.shape ?? {};
        if (Object.hasOwn(shape, field)) continue;
        const body = JSON.parse(`{"${field}":"owner"}`) as object;
        const { status } = await owner.call(route.method, pathOf(route), body);
        expect([route.id, field, status]).toEqual([route.id, field, 400]);
      }
    }
  });

  it('headers of a context name what is reached, once, or are refused', async () => {
    const { browser } = await place.join(owner, 'viewer');
    const made = await owner.call('POST', '/api/projects', { name: 'Hidden' });
    const hidden = String(made.data.id);
    const read = (headers: Record<string, string>, as = browser) =>
      as.call('GET', '/api/telemetry/views', undefined, headers);
    for (const [headers, status] of [
      [{ 'x-platform-project-id': 'default' }, 200],
      [{ 'X-PLATFORM-PROJECT-ID': 'default' }, 200],
      [{ 'x-platform-project-id': hidden }, 403],
      [{ 'x-platform-project-id': 'nobody' }, 403],
      [{ 'x-platform-project-id': 'DEFAULT' }, 403],
      [{ 'x-platform-project-id': '' }, 400],
      [{ 'x-platform-project-id': 'default,default' }, 400],
      [{ 'x-platform-organisation-id': 'other' }, 403],
      [{ 'x-platform-environment': 'Production' }, 400],
      [{ 'x-platform-environment': 'nowhere' }, 404],
      [{ 'x-platform-environment': 'production' }, 200],
      [{ 'x-database-config-id': 'other' }, 200],
      [{ 'x-platform-database-config-id': 'other' }, 200],
    ] as const) {
      expect([headers, (await read(headers as Record<string, string>)).status]).toEqual([headers, status]);
    }
    // What is hidden and what is not there are told alike.
    const foreign = await read({ 'x-platform-project-id': hidden });
    expect(foreign.text).toBe((await read({ 'x-platform-project-id': 'nobody' })).text);
    expect((await read({ 'x-platform-project-id': hidden }, owner)).status).toBe(200);
  });
});
