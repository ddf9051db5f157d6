/** The content codings of an `accept-encoding` header that its sender takes; `q=0` says that it does not. */
export function acceptedEncodings(accepted: string): ReadonlySet<string> {
  const offers = accepted.split(',').map((offer) => offer.trim().toLowerCase());
  const taken = offers.filter((offer) => !/;\s*q=0(?:\.0*)?$/.test(offer));
  return new Set(taken.map((offer) => offer.split(';', 1)[0]?.trim() ?? ''));
}
