import { afterEach, describe, expect, it } from 'vitest';
import { FileTree, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { kvm, SumsOfTheLiving } from './kvm.ts';

const trees: FileTree[] = [];
const newTree = (): FileTree => {
  const tree = new FileTree();
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

const KVM = 'sys/kernel/debug/kvm';
const host = (): FileTree =>
  newTree().write({
    [`${KVM}/exits`]: 100,
    [`${KVM}/halt_exits`]: 30,
    [`${KVM}/io_exits`]: 20,
    [`${KVM}/insn_emulation`]: 7,
    [`${KVM}/insn_emulation_fail`]: 1,
    [`${KVM}/hypercalls`]: 9,
    [`${KVM}/halt_attempted_poll`]: 5,
    [`${KVM}/halt_successful_poll`]: 4,
    [`${KVM}/remote_tlb_flush`]: 3,
    [`${KVM}/mmu_flooded`]: 2,
    [`${KVM}/pages_4k`]: 512,
    // What is below holds the same once more, a machine at a time.
    [`${KVM}/4711-12/exits`]: 100,
    [`${KVM}/4711-12/halt_exits`]: 30,
    [`${KVM}/4711-12/vcpu0/halt_exits`]: 30,
  });

describe('SumsOfTheLiving', () => {
  it('keeps what a machine that ended had counted', () => {
    const sums = new SumsOfTheLiving();
    expect(sums.read('exits', 100n)).toEqual({ grown: 100, total: 100 });
    expect(sums.read('exits', 60n)).toEqual({ grown: 0, total: 100 });
    expect(sums.read('exits', 75n)).toEqual({ grown: 15, total: 115 });
  });
});

describe('the source', () => {
  it('reads the sums of the root and nothing below them', async () => {
    const run = new SourceRun(kvm, host());
    expect(await run.source.start()).toEqual({ state: 'ready' });
    const points = await run.observe();
    expect(valuesBy(points, 'system.kvm.exits', 'system.kvm.exit.type')).toEqual({
      halt: 30,
      io: 20,
      other: 50,
    });
    expect(valuesBy(points, 'system.kvm.emulated.instructions', 'result')).toEqual({ ok: 7, failed: 1 });
    expect(valuesBy(points, 'system.kvm.hypercalls')).toEqual({ '': 9 });
    expect(valuesBy(points, 'system.kvm.halt_poll', 'result')).toEqual({ attempted: 5, successful: 4 });
    expect(valuesBy(points, 'system.kvm.tlb.flushes', 'scope')).toEqual({ remote: 3 });
    expect(valuesBy(points, 'system.kvm.mmu.events', 'type')).toEqual({ flooded: 2 });
    expect(valuesBy(points, 'system.kvm.pages', 'system.kvm.page.size')).toEqual({ '4k': 512 });
  });

  it('never goes down when a machine ends, but for the pages', async () => {
    const tree = host();
    const run = new SourceRun(kvm, tree);
    await run.observe();
    tree.write({ [`${KVM}/exits`]: 40, [`${KVM}/halt_exits`]: 10, [`${KVM}/pages_4k`]: 0 });
    const fallen = await run.observe();
    expect(valuesBy(fallen, 'system.kvm.exits', 'system.kvm.exit.type')).toEqual({
      halt: 30,
      io: 20,
      other: 50,
    });
    expect(valuesBy(fallen, 'system.kvm.pages')).toEqual({ '': 0 });
    tree.write({ [`${KVM}/exits`]: 55, [`${KVM}/halt_exits`]: 15 });
    const grown = await run.observe();
    expect(valuesBy(grown, 'system.kvm.exits', 'system.kvm.exit.type')).toEqual({
      halt: 35,
      io: 20,
      other: 60,
    });
  });

  it('passes over what is no number', async () => {
    const tree = host().write({
      [`${KVM}/hypercalls`]: '-3',
      [`${KVM}/exits`]: 'x',
      [`${KVM}/pages_4k`]: '',
    });
    const points = await new SourceRun(kvm, tree).observe();
    expect(valuesBy(points, 'system.kvm.hypercalls')).toEqual({});
    expect(valuesBy(points, 'system.kvm.pages')).toEqual({});
    expect(valuesBy(points, 'system.kvm.exits', 'system.kvm.exit.type')).toEqual({ halt: 30, io: 20 });
  });

  it('says what is missing', async () => {
    const started = await new SourceRun(kvm, newTree()).source.start();
    expect(started).toMatchObject({ state: 'unavailable', reason: expect.stringContaining('debugfs') });
    const empty = await new SourceRun(kvm, newTree().directory(KVM)).source.start();
    expect(empty).toMatchObject({ state: 'unavailable', reason: expect.stringContaining('root') });
  });
});
