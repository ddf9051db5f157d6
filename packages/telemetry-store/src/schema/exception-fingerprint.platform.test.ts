import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTelemetryStore, type TelemetryStore } from '../client/open.ts';
import { exceptionFingerprint, foldedMessage } from './exception-fingerprint.ts';
import { newStoreIn } from '../testing/migrated.ts';

let store: TelemetryStore;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-fold-'));
  store = await openTelemetryStore({ kind: 'embedded', dataDir: newStoreIn(dir), logger: silentLogger });
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

async function fold(message: string): Promise<string> {
  const [row] = await store.select<{ F: string }>(`SELECT ${foldedMessage('{m:String}')} AS F`, {
    m: message,
  });
  return row?.F ?? '';
}

it.each([
  // Numbers
  ['Request timed out after 30000 ms.', 'Request timed out after <n>.'],
  ['Request timed out after 1.5s', 'Request timed out after <n>'],
  ['expected 3 items, got -12', 'expected <n> items, got <n>'],
  ['shape [1, 2, 3] does not fit [4,5]', 'shape [<n>] does not fit [<n>]'],
  ['cart total 1,234.50 above 1e6', 'cart total <n> above <n>'],
  ['HTTP2 stream 7 on v3 closed', 'HTTP<n> stream <n> on v<n> closed'],
  // Ids
  ['user 6ba7b810-9dad-11d1-80b4-00c04fd430c8 is gone', 'user <uuid> is gone'],
  ['object at 0x7fa3c2d1e0', 'object at <hex>'],
  ['commit 9fceb02d0ae598e95dc970b74767f19372d61af8 missing', 'commit <hex> missing'],
  ['No tool output found for function call call_8fK3kd92Zx.', 'No tool output found for function call <id>.'],
  ['order FW-48213 not found', 'order <id> not found'],
  ['deadlock in facade', 'deadlock in facade'],
  ['Rate limit reached for gpt-4: wait', 'Rate limit reached for <id>: wait'],
  ['Rate limit reached for gemini-2.5-flash: wait', 'Rate limit reached for <id>: wait'],
  ['Rate limit reached for gpt-4o-2024-08-06.', 'Rate limit reached for <id>.'],
  ['Rate limit reached for meta-llama/Llama-3.3-70B-Instruct.', 'Rate limit reached for <id>.'],
  ['rate-limit exceeded by tenant-a', 'rate-limit exceeded by tenant-a'],
  // Quoted
  [`KeyError: 'order_id'`, `KeyError: 'order_id'`],
  [`no row for 'abc-991231'`, `no row for '<value>'`],
  ['model "gpt-4o-2024-08-06" is not allowed', 'model "<value>" is not allowed'],
  // Places
  [
    `ENOENT: no such file or directory, open '/var/data/a b.txt'`,
    `ENOENT: no such file or directory, open '<value>'`,
  ],
  ['cannot read /srv/app/config.yaml: denied', 'cannot read <path>: denied'],
  ['C:\\Users\\ada\\app.log is locked', '<path> is locked'],
  ['at src/orders/place.ts:81:13', 'at <path>'],
  ['GET https://api.example.com/v1/x?y=1#z failed', 'GET <url> failed'],
  ['mail to Ada.Lovelace+x@mail.example.co.uk bounced', 'mail to <email> bounced'],
  ['connect ECONNREFUSED 10.0.12.7:5432', 'connect ECONNREFUSED <ip>'],
  ['connect ETIMEDOUT [2001:db8:0:1:1:1:1:1]:443', 'connect ETIMEDOUT <ip>'],
  // Times
  ['expired at 2026-11-20T10:32:05.123Z', 'expired at <time>'],
  ['expired at 2026-11-20 10:32:05+01:00 or 10:33:00', 'expired at <time> or <time>'],
  ['no rate for 2026-11-20', 'no rate for <time>'],
  // Anything
  ['Überweisung an Zoë über 12 € fehlgeschlagen', 'Überweisung an Zoë über <n> € fehlgeschlagen'],
  ['注文 4711 が見つかりません', '注文 <n> が見つかりません'],
  ['first line\n   second\tline', 'first line second line'],
  ['   ', ''],
  ['', ''],
  ["'); DROP TABLE x; -- \\1 {p:String}", "'); DROP TABLE x; -- \\<n> {p:String}"],
])('%j is folded to %j', async (message, folded) => {
  expect(await fold(message)).toBe(folded);
});

it('a long message is folded by its beginning, whatever bytes it holds', async () => {
  expect(await fold(`${'é'.repeat(600)}1`)).toBe('é'.repeat(500));
  const [row] = await store.select<{ F: string }>(
    `SELECT ${foldedMessage("unhex('FF41E228A1203132')")} AS F`,
  );
  expect(row?.F).toContain('<n>');
});

it('the type tells groups apart, its repetition in the message does not', async () => {
  const of = async (type: string, message: string) => {
    const [row] = await store.select<{ F: string }>(
      `SELECT toString(${exceptionFingerprint('{t:String}', '{m:String}')}) AS F`,
      { t: type, m: message },
    );
    return row?.F;
  };
  const own = await of('openai.RateLimitError', 'Error code: 429');
  expect(await of('openai.RateLimitError', 'RateLimitError: Error code: 503')).toBe(own);
  expect(await of('openai.RateLimitError', 'openai.RateLimitError: Error code: 1')).toBe(own);
  expect(await of('RateLimitError', 'Error code: 429')).not.toBe(own);
  expect(await of('openai.RateLimitError', 'No code: 429')).not.toBe(own);
  // Stable: fingerprints are in links and saved views.
  expect(own).toBe('7702611422574106645');
});
