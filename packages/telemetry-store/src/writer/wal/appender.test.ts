import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@candela/kernel';
import { expect, it } from 'vitest';
import { Appender } from './appender.ts';
import { Segments } from './segments.ts';

it('tells of a full segment in the moment in which it may be deleted', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'candela-appender-'));
  const segments = new Segments({ dir, logger: silentLogger, onQuarantine: () => {} });
  const told: number[] = [];
  const appender = new Appender({
    segments,
    clock: systemClock,
    logger: silentLogger,
    firstSeq: 1,
    stored: () => 0,
    segmentBytes: 64,
    memoryCapBytes: 0,
    onDurable: () => {},
    onSealed: (segment) => told.push(segment.id),
  });
  const append = () =>
    appender.append({
      tenant: 'default',
      requestHash: new Uint8Array(16),
      blocks: [{ table: 'otel_traces', rows: 1, bytes: Buffer.from('row') }],
    });
  try {
    await append();
    const [first] = segments.list;
    if (first === undefined) throw new Error('There is a segment');
    let toldByThen: boolean | undefined;
    Object.defineProperty(first, 'sealed', {
      get: () => toldByThen !== undefined,
      set: () => {
        toldByThen = false;
        // Whoever deletes segments may look as soon as this turn is over.
        queueMicrotask(() => {
          toldByThen = told.includes(first.id);
        });
      },
    });
    await append();
    expect(segments.list).toHaveLength(2);
    expect(toldByThen).toBe(true);
  } finally {
    await appender.close();
    await segments.close();
    await rm(dir, { recursive: true, force: true });
  }
});
