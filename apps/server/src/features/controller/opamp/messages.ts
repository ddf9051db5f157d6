import { FLEET_LIMITS } from '@candela/contract';
import { bytesOf, field, fieldsOf, numberOf, OpampError, textOf } from './wire.ts';

/** Bits of what an agent can do (`AgentCapabilities`). */
export const ACCEPTS_CONFIG = 0x2;
/** Of the server: takes status, offers configurations, takes effective configurations. */
const SERVER_CAPABILITIES = 0x1n | 0x2n | 0x4n;
const REPORT_FULL_STATE = 1n;
const REQUEST_UID = 1n;
const MAX_TEXT = 1_024;
const MAX_DEPTH = 4;

interface PartHealth {
  readonly name: string;
  readonly healthy: boolean;
  readonly status: string;
  readonly error: string;
}
export interface Health extends Omit<PartHealth, 'name'> {
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
  readonly parts: readonly PartHealth[];
}
interface ConfigFile {
  readonly name: string;
  readonly contentType: string;
  readonly body: string;
}
/** `RemoteConfigStatuses` by its number. */
const REMOTE_STATES = ['unset', 'applied', 'applying', 'failed'] as const;
export type RemoteState = (typeof REMOTE_STATES)[number];

/** `AgentToServer` of OpAMP; what an agent left out has not changed. */
export interface AgentMessage {
  /** In hexadecimal. */
  readonly uid: string;
  readonly sequence: bigint;
  readonly capabilities: number;
  readonly attributes: Readonly<Record<string, string>> | undefined;
  readonly health: Health | undefined;
  readonly effective: readonly ConfigFile[] | undefined;
  readonly remote: { readonly hash: string; readonly state: RemoteState; readonly error: string } | undefined;
  readonly disconnects: boolean;
  readonly wantsUid: boolean;
}

const short = (value: bigint | Buffer): string =>
  textOf(value)
    .replaceAll(/\p{Cc}|\p{Cs}/gu, ' ')
    .slice(0, MAX_TEXT);

/** @throws OpampError */
export function readAgentMessage(bytes: Buffer): AgentMessage {
  let uid = '';
  let [sequence, capabilities, flags] = [0n, 0n, 0n];
  let attributes: Record<string, string> | undefined;
  let health: Health | undefined;
  let effective: ConfigFile[] | undefined;
  let remote: AgentMessage['remote'];
  let disconnects = false;
  for (const { number, value } of fieldsOf(bytes)) {
    switch (number) {
      case 1:
        uid = bytesOf(value).toString('hex');
        break;
      case 2:
        sequence = numberOf(value);
        break;
      case 3:
        attributes = attributesOf(bytesOf(value));
        break;
      case 4:
        capabilities = numberOf(value);
        break;
      case 5:
        health = healthOf(bytesOf(value));
        break;
      case 6:
        effective = filesOf(bytesOf(value));
        break;
      case 7:
        remote = remoteOf(bytesOf(value));
        break;
      case 9:
        disconnects = true;
        break;
      case 10:
        flags = numberOf(value);
        break;
      default:
    }
  }
  if (!/^[0-9a-f]{32}$/.test(uid)) throw new OpampError('instance_uid has to be 16 bytes');
  return {
    uid,
    sequence,
    capabilities: Number(capabilities & 0xffffn),
    attributes,
    health,
    effective,
    remote,
    disconnects,
    wantsUid: (flags & REQUEST_UID) !== 0n,
  };
}

/** Identifying and other attributes in one; of values those that are one word or number. */
function attributesOf(bytes: Buffer): Record<string, string> {
  const found: [string, string][] = [];
  for (const { number, value } of fieldsOf(bytes)) {
    if ((number !== 1 && number !== 2) || found.length >= FLEET_LIMITS.attributes) continue;
    let key = '';
    let text = '';
    for (const part of fieldsOf(bytesOf(value))) {
      if (part.number === 1) key = short(part.value);
      if (part.number === 2) text = anyOf(bytesOf(part.value));
    }
    if (key !== '' && text !== '') found.push([key, text]);
  }
  return Object.fromEntries(found);
}
function anyOf(bytes: Buffer): string {
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) return short(value);
    if (number === 2) return String(numberOf(value) !== 0n);
    if (number === 3) return String(BigInt.asIntN(64, numberOf(value)));
    if (number === 4) {
      const eight = Buffer.alloc(8);
      eight.writeBigUInt64LE(numberOf(value));
      return String(eight.readDoubleLE(0));
    }
  }
  return '';
}

function healthOf(bytes: Buffer): Health {
  const parts: PartHealth[] = [];
  let startedAt = 0n;
  const read = (part: Buffer, name: string, depth: number): PartHealth => {
    let [healthy, status, error] = [false, '', ''];
    for (const { number, value } of fieldsOf(part)) {
      if (number === 1) healthy = numberOf(value) !== 0n;
      if (number === 2 && depth === 0) startedAt = numberOf(value);
      if (number === 3) error = short(value);
      if (number === 4) status = short(value);
      if (number === 6 && depth < MAX_DEPTH && parts.length < FLEET_LIMITS.parts) {
        const [key, inner] = entryOf(bytesOf(value));
        const own = name === '' ? key : `${name} / ${key}`;
        const at = parts.push({ name: own, healthy: false, status: '', error: '' }) - 1;
        parts[at] = read(inner, own, depth + 1);
      }
    }
    return { name, healthy, status, error };
  };
  const { healthy, status, error } = read(bytes, '', 0);
  return { healthy, status, error, startedAt, parts };
}

/** A row of a map. */
function entryOf(bytes: Buffer): [string, Buffer] {
  let [key, inner] = ['', Buffer.alloc(0)];
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) key = short(value);
    if (number === 2) inner = Buffer.from(bytesOf(value));
  }
  return [key, inner];
}

function filesOf(bytes: Buffer): ConfigFile[] {
  const files: ConfigFile[] = [];
  for (const map of fieldsOf(bytes)) {
    if (map.number !== 1) continue;
    for (const { number, value } of fieldsOf(bytesOf(map.value))) {
      if (number !== 1 || files.length >= FLEET_LIMITS.attributes) continue;
      const [name, file] = entryOf(bytesOf(value));
      let [body, contentType] = ['', ''];
      for (const part of fieldsOf(file)) {
        if (part.number === 1) body = textOf(part.value);
        if (part.number === 2) contentType = short(part.value);
      }
      files.push({ name, body, contentType });
    }
  }
  return files;
}

function remoteOf(bytes: Buffer): NonNullable<AgentMessage['remote']> {
  let [hash, error] = ['', ''];
  let state: RemoteState = 'unset';
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) hash = bytesOf(value).toString('hex').slice(0, 128);
    if (number === 2) state = REMOTE_STATES[Number(numberOf(value))] ?? 'unset';
    if (number === 3) error = short(value);
  }
  return { hash, state, error };
}

/** What a server says. */
interface ServerMessage {
  /** In hexadecimal. */
  readonly uid: string;
  readonly config?: { readonly body: string; readonly hash: string } | undefined;
  readonly error?: string | undefined;
  readonly wantsAll?: boolean | undefined;
  /** A uid of its own, for one that asked for it. */
  readonly newUid?: string | undefined;
}

/** `ServerToAgent` of OpAMP. */
export function writeServerMessage({ uid, config, error, wantsAll, newUid }: ServerMessage): Buffer {
  const parts = [field(1, Buffer.from(uid, 'hex'))];
  if (error !== undefined) parts.push(field(2, Buffer.concat([field(1, 1n), field(2, error)])));
  if (config !== undefined) {
    const file = Buffer.concat([field(1, config.body), field(2, 'text/yaml')]);
    // The name of the only file is empty.
    const map = field(1, Buffer.concat([field(1, ''), field(2, file)]));
    parts.push(field(3, Buffer.concat([field(1, map), field(2, Buffer.from(config.hash, 'hex'))])));
  }
  if (wantsAll === true) parts.push(field(6, REPORT_FULL_STATE));
  parts.push(field(7, SERVER_CAPABILITIES));
  if (newUid !== undefined) parts.push(field(8, field(1, Buffer.from(newUid, 'hex'))));
  return Buffer.concat(parts);
}
