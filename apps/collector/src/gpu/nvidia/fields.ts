import { GpuError } from '../vendor.ts';
import { codeText, isLost, NOT_SUPPORTED, SUCCESS } from './codes.ts';
import type { NvmlHandle } from './handle.ts';

/** Fields of `nvmlDeviceGetFieldValues` (NVML_FI_DEV_…) that are read. */
export const FIELD = {
  memoryTemperature: 82,
  nvlinkCount: 91,
  /** KiB over all links or one, without the protocol; before Blackwell. */
  nvlinkDataTx: 138,
  nvlinkDataRx: 139,
  /** Milliwatts at this moment. */
  powerInstant: 186,
  /** Bytes since the driver was loaded, modulo 2 to the power of 32 where they are told in 32 bits. */
  pcieTxBytes: 197,
  pcieRxBytes: 198,
  /** Bytes of one link; Blackwell and later. */
  nvlinkTxBytes: 202,
  nvlinkRxBytes: 204,
  recoveryAction: 230,
} as const;

/** One field, of one of its scopes: a link, or all of them. */
export interface FieldAsked {
  readonly id: number;
  readonly scope: number;
}

/** All links together. */
export const ALL_LINKS = 0xffff_ffff;

/** `nvmlFieldValue_t`. */
const VALUE_BYTES = 40;
const AT = { id: 0, scope: 4, type: 24, code: 28, value: 32 } as const;
/** What a driver says of a field that it does not know. */
const INVALID_ARGUMENT = 2;
/** More are asked in several calls. */
const MAX_ASKED = 64;

export interface FieldValue {
  readonly value: bigint;
  /** How wide the number is that it was read from. */
  readonly bits: 32 | 64;
}

/**
 * A value as its type has it (`nvmlValueType_t`); undefined for a negative or broken number, and for the all ones by
 * which drivers say that there is none. `unsigned long` has four bytes on Windows.
 */
export function fieldValue(entry: Buffer, platform: NodeJS.Platform): FieldValue | undefined {
  const at = AT.value;
  switch (entry.readUInt32LE(AT.type)) {
    case 0: {
      const double = entry.readDoubleLE(at);
      return Number.isFinite(double) && double >= 0 && double < 2 ** 63
        ? { value: BigInt(Math.round(double)), bits: 64 }
        : undefined;
    }
    case 1:
      return known(BigInt(entry.readUInt32LE(at)), 32);
    case 2:
      return platform === 'win32'
        ? known(BigInt(entry.readUInt32LE(at)), 32)
        : known(entry.readBigUInt64LE(at), 64);
    case 3:
      return known(entry.readBigUInt64LE(at), 64);
    case 4:
      return known(entry.readBigInt64LE(at), 64);
    case 5:
      return known(BigInt(entry.readInt32LE(at)), 32);
    case 6:
      return known(BigInt(entry.readUInt16LE(at)), 32);
    default:
      return undefined;
  }
}

function known(value: bigint, bits: 32 | 64): FieldValue | undefined {
  const none = bits === 32 ? 0xffff_ffffn : 0xffff_ffff_ffff_ffffn;
  return value < 0n || value === none ? undefined : { value, bits };
}

const keyOf = ({ id, scope }: FieldAsked): string => `${id} ${scope}`;

/** Reads fields in as few calls as there are; those that a device never answers are left out from then on. */
export class Fields {
  readonly #handle: NvmlHandle;
  readonly #never = new Set<string>();

  constructor(handle: NvmlHandle) {
    this.#handle = handle;
  }

  /** Values by field and scope, see `of`. @throws GpuError */
  read(asked: readonly FieldAsked[]): FieldValues {
    const values = new Map<string, FieldValue>();
    const wanted = asked.filter((field) => !this.#never.has(keyOf(field)));
    for (let from = 0; from < wanted.length; from += MAX_ASKED) {
      const some = wanted.slice(from, from + MAX_ASKED);
      const bytes = Buffer.alloc(some.length * VALUE_BYTES);
      for (const [at, { id, scope }] of some.entries()) {
        bytes.writeUInt32LE(id, at * VALUE_BYTES + AT.id);
        bytes.writeUInt32LE(scope, at * VALUE_BYTES + AT.scope);
      }
      if (!this.#handle.answers('nvmlDeviceGetFieldValues', '', some.length, bytes)) continue;
      for (const [at, field] of some.entries()) {
        const entry = bytes.subarray(at * VALUE_BYTES, (at + 1) * VALUE_BYTES);
        const code = entry.readInt32LE(AT.code);
        if (isLost(code)) throw new GpuError('lost', codeText(code));
        const value = code === SUCCESS ? fieldValue(entry, process.platform) : undefined;
        if (value !== undefined) values.set(keyOf(field), value);
        else if (code === NOT_SUPPORTED || code === INVALID_ARGUMENT) this.#never.add(keyOf(field));
      }
    }
    return { of: (id, scope = 0) => values.get(keyOf({ id, scope })) };
  }
}

export interface FieldValues {
  of(id: number, scope?: number): FieldValue | undefined;
}
