/** What a row counts, as `CountsUsage` has it: everywhere; or only for the session and user, or the agent, that its repeat does not name. */
export const COUNTS = { nowhere: 0, everywhere: 1, named: 2, agent: 4 } as const;

/** What a call names, as bits. Of calls that are the same the one with the larger number counts. */
export const NAMES = { user: 1, agent: 2, session: 4 } as const;
