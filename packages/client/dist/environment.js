import { misconfigured } from './errors.js';
const host = () => globalThis.process;
/** A variable of the process's environment; undefined when it is unset or empty, and in a browser. */
export const readEnvironment = (name) => host()?.env?.[name] || undefined;
/** Throws where there is no environment to put secrets into. */
export function needEnvironment() {
    const { env, versions } = host() ?? {};
    if (env === undefined || versions?.node === undefined) {
        throw misconfigured('shouldSetEnv works in Node only: a browser has no environment to put secrets into.');
    }
    return env;
}
/** Puts all secrets into the environment, or none: a name or value that no environment takes is said first. */
export function setInEnvironment(env, secrets) {
    for (const [key, value] of Object.entries(secrets)) {
        if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || value.includes('\0')) {
            throw misconfigured(`The secret ${JSON.stringify(key)} cannot be an environment variable; none was set.`);
        }
    }
    for (const [key, value] of Object.entries(secrets))
        env[key] = value;
}
