import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ask, OWNER } from '../people.ts';
import type { Stage } from '../stage.ts';
import { demo } from './demo.ts';
import { PHONE, type ShotGroup } from './shot.ts';

const TABLE = 'role=table >> nth=0';
const TALL = { width: 1440, height: 1300 };
let busiest = '';

/** A repository of an AI application with what scanners look for. */
const FILES: Readonly<Record<string, string>> = {
  'agent.py': `from agents import function_tool
import subprocess, pickle

@function_tool
def run(command: str) -> str:
    return subprocess.run(command, shell=True, capture_output=True).stdout.decode()

@function_tool
def load(blob: bytes):
    return pickle.loads(blob)
`,
  '.mcp.json':
    '{"mcpServers":{"files":{"command":"npx","args":["-y","some-server","/"]},"web":{"url":"http://mcp.example.com"}}}',
  'package.json': '{"name":"app","dependencies":{"left-pad":"1.3.0"}}',
};

async function seed(stage: Stage): Promise<void> {
  const { page } = await stage.open('/', { as: OWNER });
  const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
  const { apiKey } = await post<{ apiKey: string }>('/api/api-key', { name: 'demo', scopes: ['ingest'] });
  await demo(stage, apiKey);
  const search = { sort: '-tools', limit: 5, from: '-24h' };
  type Session = { sessionId: string; agent: string; startedAt: string; repository: string | null };
  let sessions: Session[] = [];
  for (let tries = 0; sessions.length < 5 && tries < 100; tries += 1) {
    sessions = await post<Session[]>('/api/coding-agents/sessions/search', search);
    await page.waitForTimeout(300);
  }
  const [first, second, third] = sessions;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('The demo has no sessions of coding agents.');
  const about = new URLSearchParams({ agent: first.agent, since: first.startedAt });
  busiest = `/coding-agents/${first.sessionId}?${about.toString()}`;
  for (const [at, { sessionId, agent }] of [first, second, third].entries()) {
    const body = {
      sessionId,
      agent,
      requested: at === 1 ? 'personal' : 'work',
      rationale: 'The repository has moved.',
    };
    const { id } = await post<{ id: string }>('/api/coding-agents/disputes', body);
    if (at === 2)
      await post(`/api/coding-agents/disputes/${id}/resolve`, { verdict: 'accepted', resolution: 'Seen.' });
  }
  await scanned(page, stage, first.repository ?? 'https://github.com/acme/app');
  await page.context().close();
}

/** A scanner of the repository, whose files are uploaded; then a report of another tool. */
async function scanned(page: Page, stage: Stage, target: string): Promise<void> {
  const made = await ask<{ id: string }>(page, stage, 'POST', '/api/scanners', {
    data: { name: 'app', target },
  });
  const folder = mkdtempSync(join(tmpdir(), 'candela-shots-'));
  try {
    mkdirSync(join(folder, 'tree'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'tree', name), text);
    execFileSync('tar', ['-czf', join(folder, 'tree.tgz'), '-C', join(folder, 'tree'), '.']);
    const answer = await page.request.post(`${stage.platform.http}/api/scanners/${made.id}/upload`, {
      headers: { origin: stage.platform.http, 'content-type': 'application/octet-stream' },
      data: readFileSync(join(folder, 'tree.tgz')),
    });
    if (!answer.ok()) throw new Error(await answer.text());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const openFirst = async (page: Page) => {
  await page
    .getByRole('region', { name: 'Findings' })
    .first()
    .getByRole('button', { name: /agent\.py/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
};
const openEdit = async (page: Page) => {
  await page.getByRole('button', { name: 'Edit app' }).click();
  await page.getByRole('dialog').waitFor();
};
const openJobs = async (page: Page) => {
  await page.getByRole('button', { name: 'app', exact: true }).click();
  await page.getByRole('button', { name: /^Job of/ }).waitFor();
};
const openJob = async (page: Page) => {
  await openJobs(page);
  await page.getByRole('button', { name: /^Job of/ }).click();
  await page.getByRole('dialog').waitFor();
};
const SCANNERS = { path: '/scanners', ready: 'text=agent.py' } as const;

/** Coding agents, their disputes, and what scanners found in their repositories. */
export const codingAgentShots: ShotGroup = {
  owned: true,
  seed,
  shots: [
    {
      name: 'coding-summary',
      path: '/coding-agents?compare=1&from=-12h',
      ready: TABLE,
      size: { width: 1440, height: 1100 },
    },
    { name: 'coding-summary-phone', path: '/coding-agents', ready: TABLE, size: PHONE },
    { name: 'coding-sessions', path: '/coding-agents?view=sessions', ready: 'role=table' },
    { name: 'coding-sessions-phone', path: '/coding-agents?view=sessions', ready: 'role=table', size: PHONE },
    { name: 'coding-users', path: '/coding-agents?view=users', ready: 'role=table' },
    { name: 'coding-users-phone', path: '/coding-agents?view=users', ready: 'role=table', size: PHONE },
    { name: 'coding-disputes', path: '/coding-agents?view=disputes', ready: 'role=table' },
    { name: 'coding-disputes-phone', path: '/coding-agents?view=disputes', ready: 'role=table', size: PHONE },
    { name: 'coding-session', path: () => Promise.resolve(busiest), ready: 'role=article', size: TALL },
    {
      name: 'coding-session-phone',
      path: () => Promise.resolve(busiest),
      ready: 'role=article',
      size: PHONE,
    },
    { ...SCANNERS, name: 'scanners' },
    { ...SCANNERS, name: 'scanners-phone', size: PHONE },
    { ...SCANNERS, name: 'scanners-finding', act: openFirst },
    { ...SCANNERS, name: 'scanners-finding-phone', act: openFirst, size: PHONE },
    { ...SCANNERS, name: 'scanners-edit', act: openEdit },
    { ...SCANNERS, name: 'scanners-edit-phone', act: openEdit, size: PHONE },
    { ...SCANNERS, name: 'scanners-jobs', act: openJobs },
    { ...SCANNERS, name: 'scanners-job', act: openJob },
    { ...SCANNERS, name: 'scanners-job-phone', act: openJob, size: PHONE },
  ],
};

/** Before the first session. */
export const firstCodingShots: ShotGroup = {
  shots: [
    { name: 'coding-empty', path: '/coding-agents', ready: 'text=No session of a coding agent', empty: true },
  ],
};
