const SAFE = /^(?:https?|ircs?|mailto|xmpp)$/i;

/** The target of a link if following it runs nothing: a relative one, or one of a known harmless scheme; else ''. */
export function safeTarget(target: string): string {
  const end = target.search(/[:/?#]/);
  return end === -1 || target[end] !== ':' || SAFE.test(target.slice(0, end)) ? target : '';
}

/** The target of a link if it is a path of this origin, written as one: one slash first, nothing hidden; else ''. */
export function ownTarget(target: string): string {
  if (!/^\/(?![/\\])/.test(target) || /[\p{Cc}\\]/u.test(target)) return '';
  const { origin } = globalThis.location;
  return URL.canParse(target, origin) && new URL(target, origin).origin === origin ? target : '';
}
