import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { askedAsLoopback } from '../http/listen.ts';
import { ControlError } from './contract.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Who may ask at all. A page in a browser never may: not through a name that was rebound to this machine (Host), and
 * not across sites (Origin). The token is asked for whenever there is one, from this machine as well.
 */
export class Guard {
  readonly #token: Buffer | undefined;
  readonly #loopbackOnly: boolean;

  constructor(options: { readonly token: string | undefined; readonly loopbackOnly: boolean }) {
    this.#token = options.token === undefined ? undefined : digest(options.token);
    this.#loopbackOnly = options.loopbackOnly;
  }

  /** @throws ControlError 403, 401 */
  check(request: IncomingMessage): void {
    const { origin, authorization } = request.headers;
    // An address that others can reach has many names; there the token keeps strangers out.
    if (this.#loopbackOnly && !askedAsLoopback(request)) {
      throw new ControlError(403, 'This address is reached as localhost, 127.0.0.1 or [::1] only.');
    }
    const site = request.headers['sec-fetch-site'];
    if (origin !== undefined || (site !== undefined && site !== 'none')) {
      throw new ControlError(403, 'Pages in a browser may not use the control API.');
    }
    if (this.#token === undefined) return;
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
    if (!timingSafeEqual(digest(given), this.#token)) {
      throw new ControlError(401, 'Send the token: "Authorization: Bearer <OTEL_GPU_CONTROL_TOKEN>".', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
  }
}
