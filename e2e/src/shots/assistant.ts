import type { Page } from 'playwright-core';
import { ask } from '../people.ts';
import type { Stage } from '../stage.ts';
import { PHONE, type Shot } from './shot.ts';

const BY_MODEL =
  "SELECT GenAiRequestModel AS model, count() AS calls, round(sum(CostUsd), 4) AS usd FROM otel_traces WHERE GenAiRequestModel != '' GROUP BY model ORDER BY calls DESC LIMIT 8";
const ids = { chat: '' };

/** A model that asks for one table and then says what it shows. */
export function assistantAnswer(body: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(body['tools'])) return undefined;
  const messages = body['messages'] as readonly { readonly role: string }[];
  return messages.at(-1)?.role === 'tool'
    ? {
        text: 'Most calls go to the first model of the table. **Cost follows calls**, with one exception:\n\n- the smallest model answers often and costs little\n\nSee [traces](/traces) for single calls.',
      }
    : { toolCall: { name: 'run_sql', arguments: JSON.stringify({ query: BY_MODEL }) } };
}

/** The assistant's model, and a conversation that has an answer. */
export async function seedAssistant(stage: Stage, page: Page, modelId: string): Promise<void> {
  await ask(page, stage, 'PUT', '/api/chat/config', { data: { modelId } });
  const { id } = await ask<{ id: string }>(page, stage, 'POST', '/api/chat/conversation', { data: {} });
  ids.chat = id;
  const sent = await page.request.post(`${stage.platform.http}/api/chat/message`, {
    headers: { origin: stage.platform.http },
    data: { conversationId: id, content: 'Which models are called most, and what do they cost?' },
  });
  if (!sent.ok()) throw new Error(await sent.text());
}

const thread = () => Promise.resolve(`/assistant?chat=${ids.chat}`);
const sql = `/sql?sql=${encodeURIComponent(BY_MODEL)}`;
const runIt = async (page: Page) => {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('gpt').first().waitFor();
};
const openSide = async (page: Page) => {
  await page.getByRole('button', { name: 'Assistant', exact: true }).first().click();
  await page.getByRole('complementary', { name: 'Assistant' }).getByRole('combobox').waitFor();
};

/** The assistant on its page and beside another one, and the page of statements. */
export const assistantShots: readonly Shot[] = [
  { name: 'assistant', path: thread, ready: '[aria-label=Answer]' },
  { name: 'assistant-phone', path: thread, ready: '[aria-label=Answer]', size: PHONE },
  { name: 'assistant-new', path: '/assistant', ready: 'textarea, [role=combobox]' },
  { name: 'assistant-side', path: '/traces', ready: '[role=row][aria-rowindex]', act: openSide },
  { name: 'assistant-side-phone', path: '/traces', ready: '[role=row]', size: PHONE, act: openSide },
  { name: 'sql', path: sql, ready: '.cm-content', act: runIt },
  { name: 'sql-phone', path: sql, ready: '.cm-content', size: PHONE, act: runIt },
  { name: 'sql-new', path: '/sql', ready: '.cm-content' },
  { name: 'usage', path: '/settings/usage', ready: 'main h2, main table' },
];
