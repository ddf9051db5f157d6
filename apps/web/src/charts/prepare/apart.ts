interface Placed {
  readonly x: number;
  readonly y: number;
  /** Of two that have no room beside each other, the heavier one stays. */
  readonly weight: number;
}

/** Those of some marks that can stand where they are, each on a square of its own of `size`, in the order given. */
export function apart<Mark extends Placed>(marks: readonly Mark[], size: number): Mark[] {
  const kept = new Set<Mark>();
  for (const mark of marks.toSorted((a, b) => b.weight - a.weight)) {
    const isFree = [...kept].every(
      (other) => Math.abs(other.x - mark.x) >= size || Math.abs(other.y - mark.y) >= size,
    );
    if (isFree) kept.add(mark);
  }
  return marks.filter((mark) => kept.has(mark));
}
