const SAFE = /^(?:https?|ircs?|mailto|xmpp)$/i;

/** The target of a link if following it runs nothing: a relative one, or one of a known harmless scheme; else ''. */
export function safeTarget(target: string): string {
  const end = target.search(/[:/?#]/);
  return end === -1 || target[end] !== ':' || SAFE.test(target.slice(0, end)) ? target : '';
}
