import { afterEach, describe, expect, test } from 'vitest';
import { NO_LIBRARIES } from '../fixtures/library.ts';
import { type NvidiaMachine, nvidiaMachine } from '../fixtures/nvidia-machine.ts';
import { uuid } from '../fixtures/nvidia-profiles.ts';
import { MOMENTS, recordedProcesses, recordedProfile, recordedSmi } from '../fixtures/recorded.ts';

/** What the agent makes of the answers of a real driver, against what `nvidia-smi` said in the same moment. */

const MIB = 1_048_576;
const opened: { remove: () => void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.remove();
});

function machine(profile: readonly string[]): NvidiaMachine {
  const made = nvidiaMachine(profile, 1);
  opened.push(made);
  return made;
}

describe.skipIf(NO_LIBRARIES !== undefined)('an H100 with driver 580', () => {
  test.each(MOMENTS)('%s: the figures are those of nvidia-smi', async (moment) => {
    const { run } = machine(recordedProfile(moment));
    const [device] = await run.devices(0x10de);
    const smi = (...path: string[]): number => Number.parseFloat(recordedSmi(moment, ...path));
    expect(device?.id).toBe(recordedSmi(moment, 'uuid'));
    expect(device?.name).toBe(recordedSmi(moment, 'product_name'));
    expect(device?.migEnabled).toBe(recordedSmi(moment, 'mig_mode', 'current_mig') === 'Enabled');

    const reading = await run.read(uuid(0));
    // Two looks, some milliseconds apart: what changes is a little off, what stands is the same.
    const busy = reading.utilization ?? {};
    expect(Math.abs((busy.general ?? -9) * 100 - smi('utilization', 'gpu_util'))).toBeLessThanOrEqual(2);
    expect(busy.encoder).toBe(smi('utilization', 'encoder_util') / 100);
    expect(busy.decoder).toBe(smi('utilization', 'decoder_util') / 100);
    const controller = (reading.memoryControllerUtilization ?? -9) * 100;
    expect(Math.abs(controller - smi('utilization', 'memory_util'))).toBeLessThanOrEqual(2);
    expect(reading.memory?.limit).toBe(smi('fb_memory_usage', 'total') * MIB);
    const used = smi('fb_memory_usage', 'used') + smi('fb_memory_usage', 'reserved');
    expect(Math.abs((reading.memory?.usage ?? 0) / MIB - used)).toBeLessThanOrEqual(1);
    const { die = -9, memory = -9 } = reading.temperatures ?? {};
    expect(Math.abs(die - smi('temperature', 'gpu_temp'))).toBeLessThanOrEqual(1);
    expect(Math.abs(memory - smi('temperature', 'memory_temp'))).toBeLessThanOrEqual(1);
    const power = smi('gpu_power_readings', 'instant_power_draw');
    expect(Math.abs((reading.power ?? 0) - power)).toBeLessThanOrEqual(power * 0.05);
    expect(reading.powerLimit).toBe(smi('gpu_power_readings', 'current_power_limit'));
    for (const [domain, tag] of [
      ['graphics', 'graphics_clock'],
      ['sm', 'sm_clock'],
      ['memory', 'mem_clock'],
    ] as const) {
      const megahertz = (reading.clocks?.[domain] ?? 0) / 1e6;
      expect(Math.abs(megahertz - smi('clocks', tag)), domain).toBeLessThanOrEqual(60);
    }
    expect(reading.fans).toEqual([]);
    expect(recordedSmi(moment, 'fan_speed')).toBe('N/A');
    expect(reading.errors).toEqual({
      corrected: { raw: BigInt(smi('ecc_errors', 'aggregate', 'dram_correctable')) },
      uncorrected: { raw: BigInt(smi('ecc_errors', 'aggregate', 'dram_uncorrectable')) },
      pcie_replay: { raw: BigInt(smi('pci', 'replay_counter')) },
      xid: { raw: 0n },
    });
    // At its power limit, or idle: it works as it was told to.
    expect(recordedSmi(moment, 'clocks_event_reason_hw_slowdown')).toBe('Not Active');
    expect(reading.state).toBe('ok');
    expect(reading.interconnect, 'its links are switched off').toBeUndefined();
    const told = (reading.processes ?? []).map(({ pid, memory: bytes = 0 }) => [pid, bytes / MIB]);
    expect(told.toSorted()).toEqual(recordedProcesses(moment).toSorted());
  });

  test('two programs at once share it', async () => {
    const { run } = machine(recordedProfile('two'));
    await run.devices(0x10de);
    const shares = (await run.read(uuid(0))).processes?.map(({ utilization }) => utilization);
    expect(shares).toEqual([0.66, 0.33]);
  });

  test('its counters of bytes have 32 bits, and are not believed: 50 GB/s wrap them every 80 ms', async () => {
    const { library, run } = machine(recordedProfile('copy'));
    await run.devices(0x10de);
    expect((await run.read(uuid(0))).io, 'nothing is known yet').toBeUndefined();
    library.profile(recordedProfile('copy'));
    run.now += 60;
    const { io } = await run.read(uuid(0));
    // 3 × as much was copied up as down; reading over the bus takes requests the other way too.
    expect(Number(io?.receive?.raw) / 60 / 1e9).toBeCloseTo(55.6, 0);
    expect(Number(io?.transmit?.raw) / 60 / 1e9).toBeCloseTo(22, 0);
  });

  test('what only its performance monitor tells', async () => {
    const { run } = machine(recordedProfile('load'));
    await run.devices(0x10de);
    expect((await run.read(uuid(0))).activity).toBeUndefined();
    run.now += 10;
    const { activity } = await run.read(uuid(0));
    expect(activity).toMatchObject({ source: 'nvml', pipes: { fp64: 0, fp32: 0, fp16: 0 } });
    expect(activity?.sm).toBeGreaterThan(0.9);
    expect(activity?.pipes['tensor']).toBeGreaterThan(0.9);
    expect(activity?.occupancy).toBeLessThan(0.2);
    expect(activity?.memoryBandwidth).toBeGreaterThan(0.2);
  });

  test('memory in use that no process is shown for: somebody else holds it', async () => {
    // As an agent in a container of its own saw it: the driver lists processes of its own namespace only.
    const { library, run } = machine(
      recordedProfile('load').filter((line) => !/process.Compute.\d/.test(line)),
    );
    await run.devices(0x10de);
    expect(await run.read(uuid(0))).toMatchObject({ processes: [], held: true });
    library.profile(recordedProfile('idle'));
    expect((await run.read(uuid(0))).held).toBeUndefined();
  });
});
