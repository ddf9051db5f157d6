import type { PointAttributes } from '../point-attributes.ts';

/** Tells which container, pod and workload a process or a device belongs to. Answers from memory and /proc at once. */
export interface Workload {
  /** Attributes for the points of a process; undefined when it is in no container. `pid` is the host's. */
  ofPid(pid: number): PointAttributes | undefined;
  /** Of the agent itself. */
  ofSelf(): PointAttributes | undefined;
  /**
   * The containers that hold a device, by any of its ids: UUID, PCI address, `nvidia0`, `card0`, or of a claim
   * `driver/pool/device`. Several share one under time-slicing: then none of them is the device's.
   */
  ofDevice(id: string): readonly PointAttributes[];
}
