/** A variable of the process's environment; undefined when it is unset or empty, and in a browser. */
export declare const readEnvironment: (name: string) => string | undefined;
/** Throws where there is no environment to put secrets into. */
export declare function needEnvironment(): Record<string, string | undefined>;
/** Puts all secrets into the environment, or none: a name or value that no environment takes is said first. */
export declare function setInEnvironment(env: Record<string, string | undefined>, secrets: Readonly<Record<string, string>>): void;
