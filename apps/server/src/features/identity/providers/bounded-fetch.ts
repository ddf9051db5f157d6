import type { CustomFetch } from 'openid-client';
import { guardedFetch } from '../../../http/guarded-fetch.ts';

const fetch = guardedFetch({ maxBytes: 1 << 20 });

/** How issuers are asked: an answer is a small document, more is not read, and nothing is inflated. */
export const boundedFetch: CustomFetch = (url, { body, ...rest }) =>
  fetch(url, body === undefined ? rest : { ...rest, body });
