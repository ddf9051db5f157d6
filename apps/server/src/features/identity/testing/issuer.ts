import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/** Who signs in at the issuer, when somebody is sent there. */
export interface IssuerAccount {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface Issuer {
  readonly url: string;
  /** Whoever is sent there is this account. */
  account: IssuerAccount;
  /** Follows a browser from the address it was sent to until it is sent back; returns the query it comes back with. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'candela', secret: 'a-secret-of-the-application-0123456789' };

/** A certified OpenID provider on a real socket, whose people sign in without being asked. */
export async function openIssuer(redirectUri: () => string, addressInToken: boolean): Promise<Issuer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const state: { account: IssuerAccount } = { account: { sub: 'nobody' } };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri()],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !addressInToken,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...state.account, sub: id }) }),
    async loadExistingGrant(context) {
      const { client, session } = context.oidc;
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) {
      void provider.interactionFinished(request, response, { login: { accountId: state.account.sub } });
    } else void answer(request, response);
  });

  return {
    url,
    get account() {
      return state.account;
    },
    set account(account) {
      state.account = account;
    },
    async visit(start) {
      const cookies = new Map<string, string>();
      let next = start;
      for (let hop = 0; hop < 10; hop += 1) {
        const response = await fetch(next, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';', 1);
          const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
        const target = new URL(location, next);
        if (target.origin !== url) return target.search;
        next = target.href;
      }
      throw new Error('The issuer sends in circles');
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
