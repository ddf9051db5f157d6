import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, fail, type Logger, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Endpoint } from '../../http/request-handler.ts';
import { header } from '../../http/header.ts';
import { RateLimiter } from '../../http/rate-limit.ts';
import { networkOf } from '../identity/addresses.ts';
import { createPersonView } from '../identity/person-view.ts';
import type { Identity } from '../identity/service.ts';
import type { Envelope } from '@candela/vault';
import { createClientDocuments } from './documents.ts';
import { oauthHandlers } from './routes.ts';
import { createOauth, type Oauth } from './service.ts';

/** Requests at the endpoints from one address a minute: they come before any credential, and each asks the store. */
const PER_MINUTE = 600;

/** Applications and their tokens: the endpoints, the routes, and what a token stands for. */
export function createOauthFeature(parts: {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly identity: Identity;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly issuer: string;
  /** Whether applications may be named by the address of a document about them. */
  readonly clientDocuments: boolean;
}) {
  const { metadata, identity, clock } = parts;
  const { directory } = identity;
  const view = createPersonView(metadata, directory);
  const oauth: Oauth = createOauth({
    ...parts,
    documents: parts.clientDocuments ? createClientDocuments(clock) : undefined,
    projectsOf: (person) => directory.projectsOf(person),
  });
  const limiter = new RateLimiter(PER_MINUTE, clock);

  async function projectsOf({ principal }: RequestContext) {
    if (principal.kind !== 'user') throw fail('not_signed_in');
    const { projects } = await view.person(principal.id);
    return projects.map(({ id, name }) => ({ id, name }));
  }

  async function emailOf({ principal }: RequestContext): Promise<string | null> {
    if (principal.kind !== 'user') return null;
    return (await metadata.people.byId(principal.id))?.email ?? null;
  }

  const endpoint: Endpoint = {
    id: 'oauth',
    owns: oauth.owns,
    async serve(request: IncomingMessage, response: ServerResponse) {
      const headers = (name: string) => header(request, name);
      const remoteAddress = request.socket.remoteAddress ?? '';
      limiter.take(networkOf(identity.addressOf({ headers, remoteAddress })));
      await oauth.serve(request, response);
    },
  };

  return { endpoint, find: oauth.find, handlers: oauthHandlers({ oauth, metadata, projectsOf, emailOf }) };
}

export type OauthFeature = ReturnType<typeof createOauthFeature>;
