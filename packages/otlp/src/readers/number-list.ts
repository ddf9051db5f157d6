import { malformed, type Wire } from '../wire/wire.ts';

/** Unsigned 64-bit numbers as halves, refilled for point after point. */
export class Uint64List {
  count = 0;
  lows = new Uint32Array(32);
  highs = new Uint32Array(32);

  clear(): void {
    this.count = 0;
  }

  add(low: number, high: number): void {
    const index = this.count++;
    if (index === this.lows.length) {
      const lows = new Uint32Array(index * 2);
      const highs = new Uint32Array(index * 2);
      lows.set(this.lows);
      highs.set(this.highs);
      this.lows = lows;
      this.highs = highs;
    }
    this.lows[index] = low;
    this.highs[index] = high;
  }

  /** A packed field of fixed64 from the wire's position to `end`. */
  addPackedFixed(wire: Wire, end: number): void {
    if ((end - wire.pos) % 8 !== 0) throw malformed('a list of numbers ends in the middle of one');
    while (wire.pos < end) {
      wire.fixed64();
      this.add(wire.low, wire.high);
    }
  }

  /** A packed field of varints from the wire's position to `end`. */
  addPackedVarints(wire: Wire, end: number): void {
    while (wire.pos < end) {
      wire.varint64();
      this.add(wire.low, wire.high);
    }
    wire.finish(end);
  }
}

/** Doubles, refilled for point after point. */
export class DoubleList {
  count = 0;
  values = new Float64Array(32);

  clear(): void {
    this.count = 0;
  }

  add(value: number): void {
    const index = this.count++;
    if (index === this.values.length) {
      const values = new Float64Array(index * 2);
      values.set(this.values);
      this.values = values;
    }
    this.values[index] = value;
  }

  /** A packed field of doubles from the wire's position to `end`. */
  addPacked(wire: Wire, end: number): void {
    if ((end - wire.pos) % 8 !== 0) throw malformed('a list of numbers ends in the middle of one');
    while (wire.pos < end) this.add(wire.double());
  }
}
