import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { DEFAULT_DATABASE_CONFIG_ID, SCOPES, silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from './features/identity/testing/browser.ts';
import { type Installation, openInstallation } from './features/identity/testing/installation.ts';

/** Another organisation of the same installation, whose people nobody here is. */
const RIVAL = 'rival';
const FAR = Date.now() + 3_600_000;
const SECRET = crypto.randomUUID();

let place: Installation;
let owner: Browser;
/** The same database, as another replica has it open. */
let metadata: MetadataStore;
/** What there is of the other organisation, by the kind of id. */
let ids: Readonly<Record<Kind, string>>;

const KINDS = [
  'connector',
  'user',
  'invitation',
  'project',
  'key',
  'client',
  'session',
  'permission',
  'request',
  'environment',
  'provider',
  'model',
  'secret',
  'price',
  'destination',
  'controller',
  'controllerToken',
  'collector',
] as const;
type Kind = (typeof KINDS)[number];

const placeOf = (projectId: string) => ({ projectId, databaseConfigId: DEFAULT_DATABASE_CONFIG_ID });

async function makeRival(): Promise<Readonly<Record<Kind, string>>> {
  const { people, projects, keys, invitations, connectors, oauthClients, oauthEntries, sessions } = metadata;
  const user = await people.create({ email: 'rival@example.com', name: 'Rita', passwordHash: null });
  await people.join(RIVAL, user.id, 'owner');
  const project = await projects.create(RIVAL, 'Rival project');
  await projects.addMember(project.id, user.id);
  await projects.addEnvironments(project.id, ['rival-staging'], 'settings');
  const key = await keys.create('a'.repeat(64), {
    projectId: project.id,
    name: 'Rival key',
    prefix: 'pk_rivalrival',
    scopes: SCOPES,
    environments: null,
    createdBy: user.id,
    expiresAt: null,
  });
  const invitation = await invitations.create('b'.repeat(64), {
    organisationId: RIVAL,
    email: 'guest@example.com',
    role: 'member',
    projects: [],
    invitedBy: user.id,
    expiresAt: FAR,
  });
  const connector = await connectors.create(RIVAL, {
    id: crypto.randomUUID(),
    projectId: null,
    name: 'Rival connector',
    kind: 'embedded',
    url: null,
    username: null,
    database: 'rival',
    allowInsecure: false,
    secrets: null,
    hasPassword: false,
    hasCa: false,
    hasClientCertificate: false,
  });
  const client = await oauthClients.create({
    id: crypto.randomUUID(),
    organisationId: RIVAL,
    projectId: project.id,
    name: 'Rival app',
    kind: 'confidential',
    secretHash: 'c'.repeat(64),
    redirectUris: [],
    grants: ['client_credentials'],
    scopes: ['telemetry'],
    createdBy: null,
  });
  const permission = crypto.randomUUID();
  await oauthEntries.put({
    kind: 'Allowed',
    idHash: 'd'.repeat(64),
    payload: { projectId: project.id, scopes: ['telemetry'] },
    grantId: 'grant-of-rival',
    clientId: client.id,
    userId: user.id,
    uid: permission,
    expiresAt: FAR,
  });
  const model = await metadata.models.create(placeOf(project.id), {
    name: 'Rival model',
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: 'http://127.0.0.1:1/v1',
    allowInsecure: false,
    secretId: null,
    settings: { temperature: null, maxOutputTokens: 10 },
    by: null,
  });
  await metadata.vaultSecrets.create(
    placeOf(project.id),
    { id: SECRET, key: 'RIVAL', tags: [], grants: null, sealed: 'sealed', bytes: 6 },
    null,
  );
  const price = await metadata.prices.create(
    { organisationId: RIVAL, projectId: project.id },
    {
      projectId: project.id,
      provider: '',
      names: ['rival-model'],
      rates: { input: 1, output: 2 },
      validFrom: null,
      validTo: null,
      note: null,
      by: null,
    },
  );
  const destination = await metadata.alertDestinations.create(project.id, crypto.randomUUID(), {
    name: 'Rival mail',
    enabled: true,
    channel: JSON.stringify({ kind: 'email', to: ['rival@example.com'] }),
    secret: null,
    secretBefore: null,
    beforeUntil: null,
  });
  const ofRival = { projectId: project.id, environment: 'rival-staging', cluster: 'rival' };
  const controller = await metadata.controllers.enrol({
    ...ofRival,
    name: 'rival-host',
    keyId: key.id,
    facts: '{}',
    services: '[]',
  });
  const controllerToken = await metadata.controllers.createToken('f'.repeat(64), {
    ...ofRival,
    organisationId: RIVAL,
    usesLeft: 1,
    createdBy: user.id,
    expiresAt: FAR,
  });
  const collector = await metadata.fleet.add({
    projectId: project.id,
    environment: 'rival-staging',
    instanceUid: 'f'.repeat(32),
    keyId: key.id,
    facts: JSON.stringify({ capabilities: 2, attributes: {}, remote: {} }),
    effective: '[]',
  });
  const session = await sessions.create('e'.repeat(64), {
    userId: user.id,
    address: '127.0.0.1',
    userAgent: 'rival',
    expiresAt: FAR,
  });
  return {
    connector: connector.id,
    user: user.id,
    invitation: invitation.id,
    project: project.id,
    key: key.id,
    client: client.id,
    session: session.id,
    permission,
    request: 'a-request-of-rival-0',
    environment: 'rival-staging',
    provider: 'oidc',
    secret: SECRET,
    model: model.id,
    price: price.id,
    destination: destination.id,
    controller: controller.id,
    controllerToken: controllerToken.id,
    collector: collector.id,
  };
}

/** Everything of the other organisation as text, to see that nobody touched it. */
async function stateOfRival(): Promise<string> {
  const all = { limit: 100, after: undefined };
  return JSON.stringify([
    await metadata.people.byId(ids.user),
    await metadata.people.members(RIVAL, all),
    await metadata.projects.list(RIVAL),
    await metadata.projects.members(ids.project, 100),
    (await metadata.projects.environments()).filter(({ projectId }) => projectId === ids.project),
    await metadata.keys.byHash('a'.repeat(64)),
    await metadata.invitations.list(RIVAL, all),
    await metadata.connectors.list(RIVAL),
    await metadata.oauthClients.list(RIVAL, all),
    await metadata.oauthEntries.findByUid('Allowed', ids.permission),
    await metadata.sessions.list(ids.user, 100),
    await metadata.models.list(placeOf(ids.project)),
    await metadata.prices.list({ organisationId: RIVAL, projectId: ids.project }),
    await metadata.alertDestinations.list(ids.project),
    await metadata.controllers.list({ projectId: ids.project, environment: undefined }),
    await metadata.controllers.tokens(ids.project),
    await metadata.fleet.list({ projectId: ids.project, environment: undefined }),
    await metadata.fleet.configs(ids.collector),
    await metadata.vaultSecrets.history(placeOf(ids.project), ids.secret),
    await metadata.vaultSecrets.get(placeOf(ids.project), ids.secret),
  ]);
}

beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  metadata = await openMetadataStore({ dataDir: place.dir, logger: silentLogger });
  ids = await makeRival();
});
afterAll(async () => {
  await metadata.close();
  await place.close();
});

/** Which kind of id a parameter of a path is. */
const KIND_OF: readonly (readonly [RegExp, Kind])[] = [
  [/^\/api\/connectors\/\{id\}/, 'connector'],
  [/^\/api\/vault\/\{id\}/, 'secret'],
  [/^\/api\/organisation\/members\/\{id\}/, 'user'],
  [/^\/api\/organisation\/invitations\/\{id\}/, 'invitation'],
  [/^\/api\/projects\/\{id\}/, 'project'],
  [/^\/api\/api-key\/\{id\}/, 'key'],
  [/^\/api\/oauth\/clients\/\{id\}/, 'client'],
  [/^\/api\/account\/sessions\/\{id\}/, 'session'],
  [/^\/api\/account\/applications\/\{id\}/, 'permission'],
  [/^\/api\/models\/\{id\}/, 'model'],
  [/^\/api\/pricing\/models\/\{id\}/, 'price'],
  [/^\/api\/alert-destinations\/\{id\}/, 'destination'],
  [/^\/api\/controller\/instances\/\{id\}/, 'controller'],
  [/^\/api\/controller\/tokens\/\{id\}/, 'controllerToken'],
  [/^\/api\/controller\/collectors\/\{id\}/, 'collector'],
  [/^\/api\/oauth\/consent\/\{uid\}/, 'request'],
];

/** Bodies that would change something if the id were one's own. */
const BODIES: Readonly<Record<string, object>> = {
  updateConnector: { version: 1, name: 'Taken over' },
  updateMember: { role: 'viewer' },
  pushCollectorConfig: { config: 'a: 1', ifHash: null, reason: 'taken over' },
  rollbackCollectorConfig: { version: 1, reason: 'taken over' },
  updateSecret: { revision: 1, value: 'taken over' },
  restoreSecret: { revision: 1, version: 1 },
  updateProject: { name: 'Taken over' },
  createEnvironment: { name: 'taken-over' },
  updateApiKey: { name: 'Taken over' },
  updateOauthClient: { name: 'Taken over' },
  updateModel: {
    version: 1,
    name: 'Taken over',
    provider: 'openai',
    model: 'm',
    baseUrl: null,
    allowInsecure: false,
    secretId: 'none',
    temperature: null,
    maxOutputTokens: 10,
  },
  updateCustomPrice: {
    version: 1,
    scope: 'project',
    names: ['taken-over'],
    rates: { input: 0, output: 0 },
  },
  updateDestination: {
    revision: 1,
    name: 'Taken over',
    channel: { kind: 'email', to: ['owner@example.com'] },
  },
  decideOauthConsent: { decision: 'deny' },
};

/**
 * Ids of telemetry, saved views, boards, disputes and the like are asked for in `tenancy.platform.test.ts`. Jobs are those of the
 * installation, the same for everybody.
 */
const ELSEWHERE = /^\/api\/(jobs|boards|coding-agents)\//;
const routes = Object.values<RouteDeclaration>(ROUTES).filter(
  ({ path, permission }) =>
    path.includes('{') && permission !== 'public' && permission.key === 'session' && !ELSEWHERE.test(path),
);

function pathTo(path: string, known: (kind: Kind) => string): string {
  const kind = KIND_OF.find(([pattern]) => pattern.test(path))?.[1];
  if (kind === undefined) throw new Error(`Say which kind of id ${path} takes.`);
  return path
    .replace(/\{(?:id|uid)\}/, known(kind))
    .replace('{userId}', known('user'))
    .replace('{name}', known('environment'));
}

describe('an id of another organisation', () => {
  it.each(routes.map((route) => [route.id, route] as const))('is none for %s', async (_, route) => {
    const before = await stateOfRival();
    const body = route.method === 'GET' || route.body === undefined ? undefined : (BODIES[route.id] ?? {});
    const ask = async (known: (kind: Kind) => string) => {
      const path = pathTo(route.path, known);
      const { status, code, text } = await owner.call(route.method, path, body);
      return { status, code, text };
    };
    const unknown = (kind: Kind) =>
      kind === 'environment'
        ? 'rival-staging'
        : kind === 'request'
          ? 'no-such-request-0000'
          : crypto.randomUUID();
    const foreign = await ask((kind) => ids[kind]);
    expect(foreign).toEqual(await ask(unknown));
    expect([route.id, foreign.status]).toEqual([route.id, 404]);
    expect(await stateOfRival()).toBe(before);
  });

  it('is none where it stands beside an own one', async () => {
    const made = await owner.call('POST', '/api/projects', { name: 'Own' });
    const own = String(made.data.id);
    const before = await stateOfRival();
    const unknown = crypto.randomUUID();
    for (const [method, path] of [
      ['PUT', (user: string) => `/api/projects/${own}/members/${user}`],
      ['DELETE', (user: string) => `/api/projects/${own}/members/${user}`],
    ] as const) {
      const foreign = await owner.call(method, path(ids.user));
      const nobody = await owner.call(method, path(unknown));
      expect([method, foreign.status, foreign.text]).toEqual([method, 404, nobody.text]);
    }
    for (const [method, path, body] of [
      [
        'POST',
        '/api/oauth/clients',
        (id: string) => ({
          name: 'Mine',
          kind: 'confidential',
          redirectUris: [],
          grants: ['client_credentials'],
          scopes: ['telemetry'],
          projectId: id,
        }),
      ],
      ['POST', '/api/api-key', (id: string) => ({ name: 'Mine', projectId: id })],
      [
        'POST',
        '/api/organisation/invitations',
        (id: string) => ({ email: 'x@example.com', role: 'member', projects: [id] }),
      ],
    ] as const) {
      const foreign = await owner.call(method, path, body(ids.project));
      const nobody = await owner.call(method, path, body(unknown));
      expect([path, foreign.status, foreign.text]).toEqual([path, nobody.status, nobody.text]);
      expect([path, foreign.status >= 400]).toEqual([path, true]);
    }
    expect(await stateOfRival()).toBe(before);
  });
});
