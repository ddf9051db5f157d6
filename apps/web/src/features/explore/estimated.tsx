import { cx } from '../../lib/cx.ts';

/** Stands beside numbers that a sample tells of, until all are counted. */
export function Estimated({ sample, noun, className }: { sample: number; noun: string; className?: string }) {
  return (
    <span
      role="status"
      title={`Told from ${(sample * 100).toPrecision(2)} % of the ${noun} in this time range, while all of them are looked at`}
      className={cx('text-faint', className)}
    >
      estimated
    </span>
  );
}
