import type { Count, GpuErrorType, GpuState } from '../device.ts';
import { FIELD, type FieldValues } from './fields.ts';
import type { NvmlHandle } from './handle.ts';

/** `nvmlDeviceGpuRecoveryAction_t`: what the driver wants done; those of them by which the GPU is of no use till then. */
const RECOVERY_NONE = 0n;
const RECOVERY_FAILED: ReadonlySet<bigint> = new Set([1n, 2n, 4n]);

/**
 * Reasons for which clocks are held down and that are not as it should be: slowed by hardware, by heat (seen by the
 * driver or by hardware), by the power supply. A GPU at its power limit, idle, or with clocks set by somebody works as
 * it was told to.
 */
const THROTTLED = 0x08n | 0x20n | 0x40n | 0x80n;

const CORRECTED = 0;
const UNCORRECTED = 1;
const VOLATILE = 0;
/** Counted over the life of the board. */
const AGGREGATE = 1;

/** What can be asked of the state of a GPU; undefined when none of it answers. @throws GpuError */
export function stateOf(
  handle: NvmlHandle,
  fields: FieldValues,
  sick: boolean | undefined,
): GpuState | undefined {
  const recovery = fields.of(FIELD.recoveryAction)?.value;
  const rows = remappedRows(handle);
  const retiring = handle.u32('nvmlDeviceGetRetiredPagesPendingStatus');
  const reasons =
    handle.u64('nvmlDeviceGetCurrentClocksEventReasons') ??
    handle.u64('nvmlDeviceGetCurrentClocksThrottleReasons');
  if ((recovery !== undefined && RECOVERY_FAILED.has(recovery)) || rows?.failed === true) return 'failed';
  if (rows?.pending === true || retiring === 1) return 'predicted_failure';
  const throttled = reasons !== undefined && (reasons & THROTTLED) !== 0n;
  if (throttled || sick === true || (recovery ?? RECOVERY_NONE) !== RECOVERY_NONE) return 'degraded';
  const asked = [recovery, rows, retiring, reasons, sick].some((answer) => answer !== undefined);
  return asked ? 'ok' : undefined;
}

/** Rows of memory that were, or will be, replaced by spare ones: Ampere and later. */
function remappedRows(handle: NvmlHandle): { pending: boolean; failed: boolean } | undefined {
  const out = Array.from({ length: 4 }, () => Buffer.alloc(4));
  if (!handle.answers('nvmlDeviceGetRemappedRows', '', ...out)) return undefined;
  const [, , pending = 0, failed = 0] = out.map((one) => one.readUInt32LE());
  return { pending: pending !== 0, failed: failed !== 0 };
}

/** Errors that the GPU has counted. @throws GpuError */
export function errorsOf(
  handle: NvmlHandle,
  xids: bigint | undefined,
): Readonly<Partial<Record<GpuErrorType, Count>>> {
  const replays = handle.u32('nvmlDeviceGetPcieReplayCounter');
  const counts: readonly [GpuErrorType, bigint | undefined][] = [
    ['corrected', memoryErrors(handle, CORRECTED)],
    ['uncorrected', memoryErrors(handle, UNCORRECTED)],
    ['pcie_replay', replays === undefined ? undefined : BigInt(replays)],
    ['xid', xids],
  ];
  return Object.fromEntries(
    counts.flatMap(([type, raw]) => (raw === undefined ? [] : [[type, { raw }] as const])),
  );
}

/** ECC errors of the life of the board; where those are not kept, since the driver was loaded. */
function memoryErrors(handle: NvmlHandle, type: number): bigint | undefined {
  return handle.mayAnswer('nvmlDeviceGetTotalEccErrors', `${type} ${AGGREGATE}`)
    ? handle.u64('nvmlDeviceGetTotalEccErrors', type, AGGREGATE)
    : handle.u64('nvmlDeviceGetTotalEccErrors', type, VOLATILE);
}
