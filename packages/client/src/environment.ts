import { misconfigured } from './errors.ts';

/** What is used of Node's `process`; a browser has none, and this library needs no types of Node. */
interface HostProcess {
  readonly env?: Record<string, string | undefined>;
  readonly versions?: { readonly node?: string };
}

const host = (): HostProcess | undefined => (globalThis as { process?: HostProcess }).process;

/** A variable of the process's environment; undefined when it is unset or empty, and in a browser. */
export const readEnvironment = (name: string): string | undefined => host()?.env?.[name] || undefined;

/** Throws where there is no environment to put secrets into. */
export function needEnvironment(): Record<string, string | undefined> {
  const { env, versions } = host() ?? {};
  if (env === undefined || versions?.node === undefined) {
    throw misconfigured('shouldSetEnv works in Node only: a browser has no environment to put secrets into.');
  }
  return env;
}

/** Puts all secrets into the environment, or none: a name or value that no environment takes is said first. */
export function setInEnvironment(
  env: Record<string, string | undefined>,
  secrets: Readonly<Record<string, string>>,
): void {
  for (const [key, value] of Object.entries(secrets)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || value.includes('\0')) {
      throw misconfigured(
        `The secret ${JSON.stringify(key)} cannot be an environment variable; none was set.`,
      );
    }
  }
  for (const [key, value] of Object.entries(secrets)) env[key] = value;
}
