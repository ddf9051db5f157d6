import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

export const OWNER = { email: 'ada@example.com', password: 'analytical engine 1843', name: 'Ada Lovelace' };

/** Settings that make the first owner at the start. */
export const OWNED = { PLATFORM_ADMIN_EMAIL: OWNER.email, PLATFORM_ADMIN_PASSWORD: OWNER.password };

/** Calls the API as that page's person would; throws what was refused. */
export async function ask<T>(
  page: Page,
  stage: Stage,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  options: { data?: unknown; headers?: Record<string, string> } = {},
): Promise<T> {
  const answer = await page.request.fetch(`${stage.platform.http}${path}`, {
    method,
    headers: { origin: stage.platform.http, ...options.headers },
    ...(options.data === undefined ? {} : { data: options.data }),
  });
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
}

/** The setup link that the platform printed at its start, as a path of it. */
export function setupPath(stage: Stage): string {
  const printed = stage.platform.output().join('\n');
  const link = /https?:\/\/[^\s"]+(\/setup[?#][^\s"\\]+)/.exec(printed)?.[1];
  if (link === undefined) throw new Error(`No setup link was printed:\n${printed}`);
  return link;
}

/** The code an authenticator shows at that time (RFC 6238: SHA-1, 30 seconds, six digits). */
export function totpCode(secret: string, atMs: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replace(/=+$/, '')]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}
