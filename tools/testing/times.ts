/** `PROPERTY_TIMES=15`: every property test runs so many times as often. What a hundred values miss, thousands may find. */
export const PROPERTY_TIMES = Number(process.env['PROPERTY_TIMES'] ?? 1);

/** `TEST_PROCESSES_AT_ONCE`: files of the rings that start whole processes, run together. */
export const PROCESSES_AT_ONCE = Number(process.env['TEST_PROCESSES_AT_ONCE'] ?? 3);
