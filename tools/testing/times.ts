/** `PROPERTY_TIMES=15`: every property test runs so many times as often. What a hundred values miss, thousands may find. */
export const PROPERTY_TIMES = Number(process.env['PROPERTY_TIMES'] ?? 1);
