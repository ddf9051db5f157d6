/** Values that both a profiling library and the vendor's own may tell: with `prefer` the former's stand for both. */
export interface Overlap {
  /** 0 to 1. */
  readonly utilization?: number;
  readonly memoryControllerUtilization?: number;
  /** Watts. */
  readonly powerW?: number;
  /** Clock of the multiprocessors, in Hz. */
  readonly smClockHz?: number;
  /** Bytes a second over PCIe since the sample before; transmit is from the GPU to the host. */
  readonly pcie?: Rates;
  /** Bytes a second over the links between GPUs. */
  readonly links?: Rates;
}

export interface Rates {
  readonly transmit: number;
  readonly receive: number;
}

/** What only a profiling library tells: shares from 0 to 1. */
export interface Activity {
  readonly graphicsEngine?: number;
  readonly sm?: number;
  readonly occupancy?: number;
  readonly memoryBandwidth?: number;
  readonly simd?: number;
  /** By the name of the pipe: `tensor`, `fp64`, `fp32`, `fp16`. */
  readonly pipes: Readonly<Record<string, number>>;
}

/** One sample of one device. */
export interface ProfileSample {
  /**
   * The device by what its vendor calls it everywhere: a UUID, with the number of the instance where it is a part of
   * that GPU, or a PCI address as the kernel writes it.
   */
  readonly device: { readonly uuid: string; readonly instance?: number } | { readonly pci: string };
  /** Microseconds since the epoch; the same sample is told again until there is a newer one. */
  readonly at: number;
  readonly activity: Activity;
  readonly overlap: Overlap;
  /** Whether everything that this device can tell was told; what is missing comes from the vendor again. */
  readonly blank: boolean;
}

/** What reading all devices found. */
export interface ProfileRound {
  readonly samples: readonly ProfileSample[];
  /** Devices or calls that failed, in the words of the library's codes. */
  readonly errors: readonly string[];
}

/**
 * A profiling library, in the thread that it is called in: every call may block.
 * One implementation a library; it is opened, read at every interval and closed.
 */
export interface ProfilingLibrary {
  /** @throws Error saying why it cannot be, fit for `--check` */
  open(): void;
  /** Reads what the library sampled last. @throws Error when the library is lost and must be opened anew */
  read(): ProfileRound;
  /** Lets other profilers have the counters; undefined when it did, else why it cannot. */
  pause(): string | undefined;
  resume(): string | undefined;
  close(): void;
}
