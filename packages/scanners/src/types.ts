import type { BundleRule } from './rule-bundle.ts';

/** Severities from worst to least. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A file of the scanned tree. Reading is lazy and bounded by the source. */
export interface ScanFile {
  /** Relative, with `/`, without `..`. */
  readonly path: string;
  /** Bytes; undefined where asking would fetch them (partial clone). */
  readonly size: number | undefined;
  /** Undefined when it is larger than the source reads, with the reason noted in the coverage. */
  bytes(): Promise<Uint8Array | undefined>;
  /** UTF-8 text; undefined for binary files (a NUL byte) and files that are not read. */
  text(): Promise<string | undefined>;
}

/** What a detector reports. */
export interface FindingDraft {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly path: string;
  /** From 1; null: the whole file. */
  readonly line: number | null;
  readonly title: string;
  /** Why it matters. */
  readonly explanation: string;
  /** How to mend it. */
  readonly fix: string;
  /** The code, at most a few lines, without secrets. */
  readonly snippet?: string;
  readonly confidence?: 'high' | 'medium' | 'low';
}

export interface Finding extends Required<FindingDraft> {
  readonly detector: string;
  /** SHA-256 over detector, rule, path, normalised snippet and its n-th occurrence; not the line. */
  readonly fingerprint: string;
}

/** A package that a lock file names. */
export interface Component {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** SPDX expression; undefined: the lock file does not tell. */
  readonly licence?: string | undefined;
  readonly path: string;
}

export const ECOSYSTEMS = ['npm', 'PyPI', 'Go', 'crates.io', 'Maven'] as const;
/** Names as OSV has them. */
export type Ecosystem = (typeof ECOSYSTEMS)[number];

/** Vulnerability data of the job: none is said as none, never as 0 vulnerabilities. */
export type VulnerabilityData =
  | { readonly state: 'none' }
  | { readonly state: 'fresh' | 'stale'; readonly date: string; readonly ecosystems: readonly string[] };

export interface Coverage {
  filesSeen: number;
  filesRead: number;
  /** Reason to number of files. */
  readonly skipped: Map<string, number>;
  /** What was recognised but is not audited, and bounds that were reached. */
  readonly notes: string[];
}

/** Vulnerabilities of a package version, from local data. */
export interface Vulnerability {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly severity: Severity;
  readonly fixedIn: string | undefined;
}
export interface VulnerabilityIndex {
  readonly data: VulnerabilityData;
  find(ecosystem: Ecosystem, name: string, version: string): readonly Vulnerability[];
}

/** SPDX policy. Empty `allow`: everything but `deny`. */
export interface LicencePolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface ScanSettings {
  /** Rules of a bundle; undefined: only those that are built in. */
  readonly rules?: readonly BundleRule[] | undefined;
  readonly licencePolicy: LicencePolicy;
  readonly vulnerabilities: VulnerabilityIndex | undefined;
  /** Names of packages that look-alikes are measured against, by ecosystem. */
  readonly knownPackages: Readonly<Partial<Record<Ecosystem, readonly string[]>>>;
  /** The day of the scan, for models that retire. */
  readonly today: string;
}

/** What detectors share while a tree is scanned. */
export interface Scan {
  readonly settings: ScanSettings;
  readonly coverage: Coverage;
  readonly components: Component[];
  /** Modules that code imports, by ecosystem, with the first place. */
  readonly imports: Map<
    string,
    { readonly ecosystem: Ecosystem; readonly path: string; readonly line: number }
  >;
  report(finding: FindingDraft): void;
}

/** One kind of defect. */
export interface Detector {
  readonly id: string;
  readonly title: string;
  create(scan: Scan): {
    /** Cheap test by path; `file` is called for what it accepts. */
    wants(path: string): boolean;
    file?(file: ScanFile): Promise<void>;
    /** After all files. */
    end?(): void;
  };
}
