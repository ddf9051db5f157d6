/** The share of a period that may be missing, and figures are still compared with it. */
const MAY_MISS = 1 / 20;

/**
 * From when on there is a period that figures are compared with, in milliseconds, where too much of it is missing to say
 * anything: on the second day, or where retention took a part. Undefined: it can be compared with.
 */
export function missingUntil(
  period: { readonly from: string; readonly to: string; readonly since: string | null } | null | undefined,
): number | undefined {
  if (!period || period.since === null) return undefined;
  const [from, to, since] = [period.from, period.to, period.since].map(Date.parse) as [
    number,
    number,
    number,
  ];
  return since - from > (to - from) * MAY_MISS ? since : undefined;
}
