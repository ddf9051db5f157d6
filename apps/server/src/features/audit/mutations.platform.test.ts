import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation, OWNER, PASSWORD } from '../identity/testing/installation.ts';

/**
 * Every route that changes something leaves a row that says who did it. The list of routes comes from the table; what a
 * good call of each looks like stands here.
 */

/** Features whose changes are all proven here. A new one joins with its calls below. */
const TAGS = new Set([
  'Views',
  'Exceptions',
  'Sign-in',
  'Account',
  'Organisation',
  'Projects',
  'API keys',
  'Connectors',
  'Retention',
  'OAuth 2.0',
  'Prompts',
  'Rules',
  'Contexts',
  'Vault',
  'Models',
  'Jobs',
  'Boards',
  'Prices',
  'Alerts',
  'Evaluations',
  'Datasets',
  'Experiments',
  'Annotation',
  'Coding agents',
  'Media',
]);
/** Change nothing, though they are no GET: what is asked stands in the body. */
const READS = new Set([
  'lookAtInvitation',
  'startProvider',
  'checkConnector',
  'previewAlert',
  'testEvaluator',
]);
/**
 * Need an issuer, an application that asks, another database of the engine or a model: called where those are tested.
 */
const ELSEWHERE = new Set([
  'finishProvider',
  'decideOauthConsent',
  'revokeApplication',
  'migrateConnector',
  'tryPrompt',
  'evaluateOffline',
  // What they send is telemetry, not settings; a lease is no change.
  'addScore',
  'announceMedia',
  'putMedia',
  'reportMedia',
  'addFeedback',
  'addExperimentItems',
  'claimQueueItem',
]);

const changing = Object.values<RouteDeclaration>(ROUTES).filter(
  ({ id, method, permission, tag }) =>
    TAGS.has(tag) &&
    method !== 'GET' &&
    (permission === 'public' || permission.role !== 'viewer') &&
    !READS.has(id) &&
    !ELSEWHERE.has(id),
);

let place: Installation;
let owner: Browser;
let setUp: Answer;
beforeAll(async () => {
  place = await openInstallation();
  owner = place.browser();
  const token = new URL(place.platform.setupUrl ?? '').searchParams.get('token');
  hide(token);
  setUp = await owner.call('POST', '/api/auth/setup', { ...OWNER, token });
  expect(setUp.status).toBe(201);
});
afterAll(async () => {
  await place.close();
});

/** What must never be found in the log. */
const secrets = new Set<string>([PASSWORD]);
const hide = (value: unknown): string => {
  if (typeof value === 'string' && value.length > 0) secrets.add(value);
  return String(value);
};

const connector = () =>
  owner.call('POST', '/api/connectors', { kind: 'embedded', name: crypto.randomUUID() });
const application = async () => {
  const made = await owner.call('POST', '/api/oauth/clients', {
    name: crypto.randomUUID(),
    kind: 'confidential',
    redirectUris: [],
    grants: ['client_credentials'],
    scopes: ['telemetry'],
  });
  hide(made.data?.clientSecret);
  return made;
};

const model = () => {
  const body = { name: crypto.randomUUID(), provider: 'openai-compatible', model: 'm' };
  return owner.call('POST', '/api/models', { ...body, baseUrl: 'http://127.0.0.1:1/v1' });
};

const EVALUATION = '/api/evaluation';
const evaluator = async () => {
  const id = `e_${crypto.randomUUID().replaceAll('-', '_')}`;
  const made = await owner.call('POST', `${EVALUATION}/evaluators`, {
    id,
    label: id,
    kind: 'length',
    settings: { max: 10 },
  });
  return { id, made };
};
const dataset = () => owner.call('POST', `${EVALUATION}/datasets`, { name: crypto.randomUUID() });
const datasetPath = async () => `${EVALUATION}/datasets/${(await dataset()).data.id}`;
const experiment = async () => {
  const { data } = await dataset();
  await owner.call('POST', `${EVALUATION}/datasets/${data.id}/items`, { items: [{ input: 'a' }] });
  const body = { dataset: data.id, evaluators: [], target: { kind: 'external' } };
  return owner.call('POST', `${EVALUATION}/experiments`, body);
};
const queue = () =>
  owner.call('POST', `${EVALUATION}/queues`, {
    name: crypto.randomUUID(),
    fields: [{ name: 'quality', kind: 'pass_fail' }],
  });
const someSpans = [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }];
const filledQueue = async () => {
  const path = `${EVALUATION}/queues/${(await queue()).data.id}/items`;
  return { path, filled: await owner.call('POST', path, { spans: someSpans }) };
};

const secret = async () => {
  const body = { key: `S_${crypto.randomUUID()}`, value: hide(`value ${crypto.randomUUID()}`) };
  return owner.call('POST', '/api/vault', body);
};
/** The path of a new secret, and what says which state of it is meant. */
const secretPath = async () => {
  const { data } = await secret();
  return { path: `/api/vault/${data.id}`, revision: Number(data.revision) };
};

const RULES = '/api/rule-engine/rules';
const rule = (links: object[] = []) =>
  owner.call('POST', RULES, {
    name: crypto.randomUUID(),
    groups: [{ conditions: [{ field: 'model', operator: 'equals', value: 'x' }] }],
    links,
  });
const contextBody = () => ({ name: crypto.randomUUID(), content: 'be kind' });
const textContext = () => owner.call('POST', '/api/context', contextBody());

const PROMPTS = '/api/prompt';
const prompt = (publish?: 'minor') =>
  owner.call('POST', PROMPTS, {
    name: crypto.randomUUID(),
    prompt: hide('The text of a prompt'),
    metaProperties: { note: hide('of the owner') },
    publish,
  });
const VIEWS = '/api/telemetry/views';
const view = async () => {
  const body = { page: 'traces', name: crypto.randomUUID(), description: null, search: '' };
  return owner.call('POST', VIEWS, body);
};
const project = () => owner.call('POST', '/api/projects', { name: crypto.randomUUID() });
const key = async () => {
  const made = await owner.call('POST', '/api/api-key', { name: 'a key' });
  hide(made.data.apiKey);
  return made;
};
const person = () => place.join(owner, 'member');
const invite = async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const invited = await owner.call('POST', '/api/organisation/invitations', { email, role: 'viewer' });
  hide(new URL(String(invited.data.link)).searchParams.get('token'));
  return invited;
};
const tokenOf = (invited: Answer) => new URL(String(invited.data.link)).searchParams.get('token');

/** A person with a second factor, and codes of it: each counts once, so the clock goes on. */
async function guarded() {
  const someone = await person();
  const { browser } = someone;
  const begun = await browser.call('POST', '/api/account/totp', { password: PASSWORD });
  const secret = hide(begun.data.secret);
  const code = () => {
    place.clock.shift += 31_000;
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: place.clock.now() });
  };
  const confirmed = await browser.call('POST', '/api/account/totp/confirm', { code: code() });
  for (const recovery of (confirmed.data?.recoveryCodes ?? []) as string[]) hide(recovery);
  return { ...someone, begun, confirmed, code };
}

const BOARDS = '/api/boards';
const board = () => owner.call('POST', BOARDS, { title: crypto.randomUUID() });
const folder = () => owner.call('POST', `${BOARDS}/folders`, { name: crypto.randomUUID() });

const PRICES = '/api/pricing/models';
const priceBody = { scope: 'project', names: ['house-1'], rates: { input: 1, output: 2 } };
const price = () => owner.call('POST', PRICES, priceBody);
const ALERTS = '/api/alerts';
const alertBody = () => ({
  name: crypto.randomUUID(),
  source: { kind: 'ingest_stopped', perService: false },
});
const alert = () => owner.call('POST', ALERTS, alertBody());
const destination = async () => {
  const channel = { kind: 'webhook', url: 'https://hooks.example.com/a' };
  const made = await owner.call('POST', '/api/alert-destinations', { name: crypto.randomUUID(), channel });
  hide(made.data.secret);
  return made;
};
const destinationPath = async () =>
  `/api/alert-destinations/${String((await destination()).data.destination.id)}`;
const silence = () =>
  owner.call('POST', `${ALERTS}/silences`, {
    matchers: [{ label: 'alert', value: 'x' }],
    endsAt: new Date(Date.now() + 600_000).toISOString(),
    comment: 'release',
  });

let codingSessions = 0;
/** A dispute over a session that a coding agent has just told of. */
const dispute = async () => {
  codingSessions += 1;
  const sessionId = `session ${codingSessions}`;
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = {
    traceId: crypto.randomUUID().replaceAll('-', ''),
    spanId: crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    name: 'coding_agent.turn',
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now),
    attributes: [text('coding_agent.session.id', sessionId), text('gen_ai.request.user', 'ada')],
  };
  const resource = { attributes: [text('service.name', 'codex')] };
  await fetch(`${place.platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  });
  const path = `/api/coding-agents/sessions/${encodeURIComponent(sessionId)}`;
  await expect.poll(async () => (await owner.call('GET', path)).status, { timeout: 30_000 }).toBe(200);
  const body = { sessionId, agent: 'codex', requested: 'work', rationale: 'The repository has moved.' };
  return owner.call('POST', '/api/coding-agents/disputes', body);
};
const disputePath = async () => `/api/coding-agents/disputes/${(await dispute()).data.id}`;

const CALLS: Readonly<Record<string, () => Promise<Answer>>> = {
  createBoard: board,
  replaceBoard: async () => owner.call('PUT', `${BOARDS}/${(await board()).data.id}`, { title: 'changed' }),
  deleteBoard: async () => owner.call('DELETE', `${BOARDS}/${(await board()).data.id}`),
  duplicateBoard: () => owner.call('POST', `${BOARDS}/seed:llm/duplicate`, {}),
  importBoard: () =>
    owner.call('POST', `${BOARDS}/import`, { document: { title: 'Theirs', panels: [{ type: 'text' }] } }),
  createBoardFolder: folder,
  updateBoardFolder: async () =>
    owner.call('PUT', `${BOARDS}/folders/${(await folder()).data.id}`, { name: 'changed' }),
  deleteBoardFolder: async () => owner.call('DELETE', `${BOARDS}/folders/${(await folder()).data.id}`),

  setEvaluationConfig: () => owner.call('PUT', `${EVALUATION}/config`, { modelId: null, dailyCapUsd: null }),
  createEvaluator: async () => (await evaluator()).made,
  updateEvaluator: async () =>
    owner.call('PATCH', `${EVALUATION}/evaluators/${(await evaluator()).id}`, { label: 'changed' }),
  deleteEvaluator: async () => owner.call('DELETE', `${EVALUATION}/evaluators/${(await evaluator()).id}`),
  startEvaluation: async () =>
    owner.call('POST', `${EVALUATION}/runs`, { evaluators: [(await evaluator()).id], spans: someSpans }),
  upsertOfflineTypes: () =>
    owner.call('POST', `${EVALUATION}/offline/types`, {
      types: [{ id: 'house_voice', label: 'House voice', prompt: 'Not in our voice.' }],
    }),
  updateOfflineType: () => owner.call('PATCH', `${EVALUATION}/offline/types/bias`, { enabled: true }),
  createDataset: dataset,
  deleteDataset: async () => owner.call('DELETE', await datasetPath()),
  addDatasetItems: async () =>
    owner.call('POST', `${await datasetPath()}/items`, { items: [{ input: 'a' }] }),
  importDataset: async () =>
    owner.call('POST', `${await datasetPath()}/import`, {
      format: 'jsonl',
      text: '{"input":"a"}',
      preview: false,
    }),
  createExperiment: experiment,
  resumeExperiment: async () =>
    owner.call('POST', `${EVALUATION}/experiments/${(await experiment()).data.id}/resume`, {}),
  deleteExperiment: async () =>
    owner.call('DELETE', `${EVALUATION}/experiments/${(await experiment()).data.id}`),
  createQueue: queue,
  deleteQueue: async () => owner.call('DELETE', `${EVALUATION}/queues/${(await queue()).data.id}`),
  addQueueItems: async () => (await filledQueue()).filled,
  labelQueueItem: async () => {
    const { path } = await filledQueue();
    const [item] = (await owner.call('GET', path)).data as { id: string }[];
    return owner.call('POST', `${path}/${item?.id}/labels`, { values: { quality: 'pass' } });
  },

  createCustomPrice: price,
  updateCustomPrice: async () => {
    const { data } = await price();
    return owner.call('PUT', `${PRICES}/${data.id}`, { ...priceBody, version: data.version });
  },
  deleteCustomPrice: async () => owner.call('DELETE', `${PRICES}/${(await price()).data.id}`),
  createAlert: alert,
  updateAlert: async () => owner.call('PUT', `${ALERTS}/${(await alert()).data.id}`, alertBody()),
  deleteAlert: async () => owner.call('DELETE', `${ALERTS}/${(await alert()).data.id}`),
  acknowledgeAlert: async () => owner.call('POST', `${ALERTS}/${(await alert()).data.id}/acknowledge`, {}),
  createSilence: silence,
  endSilence: async () => owner.call('DELETE', `${ALERTS}/silences/${(await silence()).data.id}`),
  createDestination: destination,
  updateDestination: async () => {
    const path = await destinationPath();
    const channel = { kind: 'slack' };
    const secret = hide('https://hooks.slack.com/services/T0/B0/sealed-sentinel');
    return owner.call('PUT', path, { name: crypto.randomUUID(), channel, secret });
  },
  deleteDestination: async () => owner.call('DELETE', await destinationPath()),
  testDestination: async () => owner.call('POST', `${await destinationPath()}/test`, {}),

  createCodingDispute: dispute,
  resolveCodingDispute: async () =>
    owner.call('POST', `${await disputePath()}/resolve`, { verdict: 'accepted' }),
  withdrawCodingDispute: async () => owner.call('POST', `${await disputePath()}/withdraw`, {}),

  triageException: () =>
    owner.call('PATCH', '/api/telemetry/exceptions/0123456789abcdef/triage', { status: 'resolved' }),
  createView: view,
  updateView: async () =>
    owner.call('PATCH', `${VIEWS}/${(await view()).data.id}`, { description: 'changed' }),
  deleteView: async () => owner.call('DELETE', `${VIEWS}/${(await view()).data.id}`),

  setUp: async () => setUp,
  signIn: () => place.browser().call('POST', '/api/auth/sign-in', { email: OWNER.email, password: PASSWORD }),
  signInTotp: async () => {
    const { email, code } = await guarded();
    const again = place.browser();
    await again.call('POST', '/api/auth/sign-in', { email, password: PASSWORD });
    return again.call('POST', '/api/auth/sign-in/totp', { code: code() });
  },
  signOut: async () => (await person()).browser.call('POST', '/api/auth/sign-out'),
  acceptInvitation: async () =>
    place.browser().call('POST', '/api/auth/invitation/accept', {
      token: tokenOf(await invite()),
      name: 'New',
      password: PASSWORD,
    }),

  updateAccount: async () => (await person()).browser.call('PATCH', '/api/account', { name: 'Another' }),
  changePassword: async () =>
    (await person()).browser.call('POST', '/api/account/password', {
      currentPassword: PASSWORD,
      newPassword: hide('another horse altogether'),
    }),
  startTotp: async () => (await guarded()).begun,
  confirmTotp: async () => (await guarded()).confirmed,
  newRecoveryCodes: async () => {
    const { browser, code } = await guarded();
    const body = { password: PASSWORD, code: code() };
    return browser.call('POST', '/api/account/totp/recovery-codes', body);
  },
  removeTotp: async () => {
    const { browser, code } = await guarded();
    return browser.call('POST', '/api/account/totp/remove', { password: PASSWORD, code: code() });
  },
  endAccountSession: async () => {
    const { browser, email } = await person();
    await place.browser().call('POST', '/api/auth/sign-in', { email, password: PASSWORD });
    const listed = await browser.call('GET', '/api/account/sessions');
    const sessions = listed.data as { id: string; current: boolean }[];
    return browser.call('DELETE', `/api/account/sessions/${sessions.find(({ current }) => !current)?.id}`);
  },
  signOutEverywhere: async () =>
    (await person()).browser.call('POST', '/api/account/sign-out-everywhere', { keepThis: false }),

  updateOrganisation: () => owner.call('PATCH', '/api/organisation', { name: 'Renamed' }),
  updateMember: async () =>
    owner.call('PATCH', `/api/organisation/members/${(await person()).id}`, { role: 'viewer' }),
  removeMember: async () => owner.call('DELETE', `/api/organisation/members/${(await person()).id}`),
  createInvitation: invite,
  revokeInvitation: async () =>
    owner.call('DELETE', `/api/organisation/invitations/${(await invite()).data.invitation.id}`),

  createProject: project,
  updateProject: async () =>
    owner.call('PATCH', `/api/projects/${(await project()).data.id}`, { name: crypto.randomUUID() }),
  deleteProject: async () => owner.call('DELETE', `/api/projects/${(await project()).data.id}`),
  addProjectMember: async () =>
    owner.call('PUT', `/api/projects/${(await project()).data.id}/members/${(await person()).id}`),
  removeProjectMember: async () => {
    const path = `/api/projects/${(await project()).data.id}/members/${(await person()).id}`;
    await owner.call('PUT', path);
    return owner.call('DELETE', path);
  },
  createEnvironment: async () =>
    owner.call('POST', `/api/projects/${(await project()).data.id}/environments`, { name: 'staging' }),
  deleteEnvironment: async () => {
    const path = `/api/projects/${(await project()).data.id}/environments`;
    await owner.call('POST', path, { name: 'staging' });
    return owner.call('DELETE', `${path}/staging`);
  },

  createApiKey: key,
  updateApiKey: async () => owner.call('PATCH', `/api/api-key/${(await key()).data.id}`, { name: 'other' }),
  rotateApiKey: async () => {
    const rotated = await owner.call('POST', `/api/api-key/${(await key()).data.id}/rotate`, {});
    hide(rotated.data.apiKey);
    return rotated;
  },
  createConnector: connector,
  updateConnector: async () => {
    const { data } = await connector();
    const body = { name: crypto.randomUUID(), version: data.version };
    return owner.call('PATCH', `/api/connectors/${data.id}`, body);
  },
  deleteConnector: async () => owner.call('DELETE', `/api/connectors/${(await connector()).data.id}`),
  updateRouting: async () => {
    const changes = [{ environment: null, signal: 'logs', connectorId: null }];
    const headers = { 'x-platform-project-id': String((await project()).data.id) };
    return owner.call('PUT', '/api/routing', { changes }, headers);
  },
  eraseUserData: () => owner.call('POST', '/api/erasure', { userId: 'nobody' }),
  updateRetention: () => owner.call('PUT', '/api/retention', { logs: 40 }),

  runJob: () => owner.call('POST', '/api/jobs/audit-retention/run'),

  createModel: model,
  updateModel: async () => {
    const {
      id,
      createdBy: _,
      createdAt: __,
      updatedBy: ___,
      updatedAt: ____,
      ...rest
    } = (await model()).data;
    return owner.call('PUT', `/api/models/${id}`, { ...rest, temperature: 0.5 });
  },
  deleteModel: async () => owner.call('DELETE', `/api/models/${(await model()).data.id}`),
  checkModel: async () => owner.call('POST', `/api/models/${(await model()).data.id}/check`),

  createSecret: secret,
  updateSecret: async () => {
    const { path, revision } = await secretPath();
    return owner.call('PUT', path, { revision, value: hide('another value of it') });
  },
  deleteSecret: async () => owner.call('DELETE', (await secretPath()).path),
  revealSecret: async () => owner.call('POST', `${(await secretPath()).path}/reveal`, {}),
  restoreSecret: async () => {
    const { path, revision } = await secretPath();
    return owner.call('POST', `${path}/restore`, { revision, version: 1 });
  },
  getSecrets: async () => {
    await secret();
    return owner.call('POST', '/api/vault/get-secrets', {});
  },

  createRule: () => rule(),
  replaceRule: async () => {
    const { id, revision } = (await rule()).data;
    return owner.call('PUT', `${RULES}/${id}`, { name: crypto.randomUUID(), groups: [], revision });
  },
  deleteRule: async () => owner.call('DELETE', `${RULES}/${(await rule()).data.id}`),
  createRuleLink: async () => {
    const ruleId = String((await rule()).data.id);
    const body = { ruleId, entityType: 'evaluation', entityId: 'bias' };
    return owner.call('POST', '/api/rule-engine/entities', body);
  },
  deleteRuleLink: async () => {
    const { data } = await rule([{ entityType: 'evaluation', entityId: 'bias' }]);
    return owner.call('DELETE', `/api/rule-engine/entities?id=${data.links[0].id}`);
  },
  createContext: textContext,
  replaceContext: async () => {
    const { id, revision } = (await textContext()).data;
    return owner.call('PUT', `/api/context/${id}`, { ...contextBody(), revision });
  },
  restoreContextVersion: async () =>
    owner.call('POST', `/api/context/${(await textContext()).data.id}/restore`, { version: 1 }),
  deleteContext: async () => owner.call('DELETE', `/api/context/${(await textContext()).data.id}`),

  createOauthClient: application,
  updateOauthClient: async () =>
    owner.call('PATCH', `/api/oauth/clients/${(await application()).data.id}`, { name: crypto.randomUUID() }),
  rotateOauthSecret: async () => {
    const rotated = await owner.call('POST', `/api/oauth/clients/${(await application()).data.id}/rotate`);
    hide(rotated.data?.clientSecret);
    return rotated;
  },
  deleteOauthClient: async () => owner.call('DELETE', `/api/oauth/clients/${(await application()).data.id}`),

  createPrompt: () => prompt(),
  savePromptDraft: async () =>
    owner.call('PUT', `${PROMPTS}/${(await prompt()).data.id}/draft`, { prompt: hide('Another text') }),
  discardPromptDraft: async () => {
    const path = `${PROMPTS}/${(await prompt('minor')).data.id}/draft`;
    await owner.call('PUT', path, { prompt: 'x' });
    return owner.call('DELETE', path);
  },
  publishPrompt: async () =>
    owner.call('POST', `${PROMPTS}/${(await prompt()).data.id}/publish`, { bump: 'major' }),
  setPromptLabel: async () => {
    const path = `${PROMPTS}/${(await prompt('minor')).data.id}/labels`;
    return owner.call('POST', path, { label: 'live', version: 'latest' });
  },
  setProtectedLabels: () => owner.call('PUT', `${PROMPTS}/protected-labels`, { labels: ['staging'] }),
  removePromptLabel: async () => {
    const path = `${PROMPTS}/${(await prompt('minor')).data.id}/labels`;
    await owner.call('POST', path, { label: 'live', version: 'latest' });
    return owner.call('DELETE', `${path}/live`);
  },
  deletePrompt: async () => owner.call('DELETE', `${PROMPTS}/${(await prompt()).data.id}`),

  deleteApiKey: async () => owner.call('DELETE', `/api/api-key/${(await key()).data.id}`),
};

interface Row {
  readonly requestId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
  readonly action: string;
}

async function rowsOf(requestId: string): Promise<Row[]> {
  const { data } = await owner.call('GET', '/api/audit?limit=500');
  return (data as Row[]).filter((row) => row.requestId === requestId);
}

describe('a change leaves a row in the audit log', () => {
  it('and what a good call of every such route looks like is known', () => {
    expect(changing.map(({ id }) => id).filter((id) => CALLS[id] === undefined)).toEqual([]);
  });

  it.each(changing.map(({ id }) => id))('%s', async (id) => {
    const answer = await CALLS[id]?.();
    expect([200, 201], answer?.text).toContain(answer?.status);
    const rows = await rowsOf(answer?.headers.get('x-request-id') ?? 'none');
    expect(rows.length, id).toBeGreaterThanOrEqual(1);
    for (const row of rows) {
      expect(row.actorName).toMatch(/@example\.com$/);
      expect(row).toMatchObject({ address: '127.0.0.1', userAgent: expect.any(String) as string });
      expect(row.action).toMatch(/^[a-z][a-z-]*\.[a-z][a-z-]*$/);
    }
  });

  it('that says nothing of a secret', async () => {
    const pages: string[] = [];
    let cursor = '';
    do {
      const page = await owner.call('GET', `/api/audit?limit=500${cursor}`);
      pages.push(page.text);
      const { nextCursor } = JSON.parse(page.text) as { nextCursor: string | null };
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    const log = pages.join('\n');
    expect(secrets.size).toBeGreaterThan(10);
    for (const secret of secrets) expect(log).not.toContain(secret);
  });

  it('and a change that is refused leaves none that says it was made', async () => {
    const { browser } = await place.join(owner, 'viewer');
    for (const answer of [
      await browser.call('POST', VIEWS, { page: 'traces', name: 'x', description: null, search: '' }),
      await owner.call('DELETE', `${VIEWS}/${crypto.randomUUID()}`),
      await owner.call('DELETE', `/api/api-key/${crypto.randomUUID()}`),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await rowsOf(answer.headers.get('x-request-id') ?? 'none')).toEqual([]);
    }
  });
});

describe('the audit log', () => {
  it('is read by admins and nobody else, and changed by nobody', async () => {
    for (const [role, status] of [
      ['viewer', 403],
      ['member', 403],
      ['admin', 200],
    ] as const) {
      const { browser } = await place.join(owner, role);
      expect([role, (await browser.call('GET', '/api/audit')).status]).toEqual([role, status]);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await owner.call(method, '/api/audit', {})).status).toBe(405);
    }
    const made = await key();
    const headers = { authorization: `Bearer ${made.data.apiKey}`, cookie: undefined };
    expect((await owner.call('GET', '/api/audit', undefined, headers)).status).toBe(403);
  });

  it('is searched by actor, action and object', async () => {
    const { browser, id } = await person();
    await browser.call('PATCH', '/api/account', { name: 'Found' });
    const found = await owner.call('GET', `/api/audit?actorId=${id}&objectId=${id}&objectKind=user`);
    expect((found.data as Row[]).length).toBeGreaterThan(0);
    expect((await owner.call('GET', `/api/audit?actorId=${id}&action=no.such`)).data).toEqual([]);
    expect((await owner.call('GET', '/api/audit?surprise=1')).status).toBe(400);
  });
});
