/** A binary of a release. */
export interface Target {
  /** As the specification and container images name it. */
  readonly id: string;
  readonly file: string;
  /** What Bun calls it. */
  readonly bun: string;
  /** The package with the runtime, and where in it the runtime is. */
  readonly runtime: string;
  readonly executable: string;
  /** The package with the native part for calls of the operating system, and where in it that is. */
  readonly koffi: string;
  readonly native: string;
}

const NAME = 'opentelemetry-gpu-collector';

interface Names {
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
}

function target({ os, arch }: Names): Target {
  const windows = os === 'windows';
  const bunArch = arch === 'amd64' ? 'x64' : 'aarch64';
  const nodeOs = windows ? 'win32' : os;
  const nodeArch = arch === 'amd64' ? 'x64' : 'arm64';
  return {
    id: `${os}-${arch}`,
    file: `${NAME}-${os}-${arch}${windows ? '.exe' : ''}`,
    bun: `bun-${os}-${nodeArch}`,
    runtime: `@oven/bun-${os}-${bunArch}`,
    executable: windows ? 'bin/bun.exe' : 'bin/bun',
    koffi: `@koromix/koffi-${nodeOs}-${nodeArch}`,
    native: `${nodeOs}_${nodeArch}/koffi.node`,
  };
}

/** Every platform that the runtime exists for. 32-bit ARM is not among them: see `PORTABLE_FILE`. */
export const TARGETS: readonly Target[] = [
  target({ os: 'linux', arch: 'amd64' }),
  target({ os: 'linux', arch: 'arm64' }),
  target({ os: 'darwin', arch: 'amd64' }),
  target({ os: 'darwin', arch: 'arm64' }),
  target({ os: 'windows', arch: 'amd64' }),
  target({ os: 'windows', arch: 'arm64' }),
];

/** The same program as one file for a Node of the machine's own: 32-bit ARM, musl, BSD. */
export const PORTABLE_FILE = `${NAME}.mjs`;

/** The command line as one file for Node. */
export const CLI_FILE = 'candela.mjs';

/** Made from the commits; beside what is released. */
export const CHANGELOG_FILE = 'CHANGELOG.md';

/** Licences of everything that the binaries hold. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

/** The target that this machine runs. */
export const HOST_TARGET: Target | undefined = TARGETS.find(
  ({ koffi }) => koffi === `@koromix/koffi-${process.platform}-${process.arch}`,
);
