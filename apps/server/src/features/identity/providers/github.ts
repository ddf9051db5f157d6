import { z } from 'zod';
import { isLoopbackName } from '../addresses.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ProviderSettings, SignInProvider } from './provider.ts';

const TIMEOUT_SECONDS = 10;
const library = () => import('openid-client');

const userSchema = z.object({ id: z.number().int(), name: z.string().nullish(), login: z.string() });
const emailsSchema = z
  .array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
  .max(1_000);

/** GitHub speaks OAuth 2.0 without OpenID: who it is comes from its API, the address from its list of verified ones. */
export function githubProvider(
  parts: ProviderSettings & {
    /** Default: GitHub itself; another address is that of a GitHub Enterprise Server. */
    readonly webUrl?: string;
    readonly apiUrl?: string;
  },
): SignInProvider {
  const { clientId, clientSecret } = parts;
  const webUrl = parts.webUrl ?? 'https://github.com';
  const apiUrl = parts.apiUrl ?? 'https://api.github.com';

  async function configuration() {
    const client = await library();
    const configured = new client.Configuration(
      {
        issuer: webUrl,
        authorization_endpoint: `${webUrl}/login/oauth/authorize`,
        token_endpoint: `${webUrl}/login/oauth/access_token`,
      },
      clientId,
      { client_secret: clientSecret },
      client.ClientSecretPost(clientSecret),
    );
    configured.timeout = TIMEOUT_SECONDS;
    configured[client.customFetch] = boundedFetch;
    const { protocol, hostname } = new URL(webUrl);
    if (protocol === 'http:' && isLoopbackName(hostname)) client.allowInsecureRequests(configured);
    return { client, configured };
  }

  return {
    id: 'github',
    name: 'GitHub',

    async start(redirectUri, { state, codeVerifier }) {
      const { client, configured } = await configuration();
      return client.buildAuthorizationUrl(configured, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).href;
    },

    async finish(callback, { state, codeVerifier }) {
      const { client, configured } = await configuration();
      const tokens = await client.authorizationCodeGrant(configured, callback, {
        expectedState: state,
        pkceCodeVerifier: codeVerifier,
      });
      const ask = async (path: string): Promise<unknown> => {
        const answer = await client.fetchProtectedResource(
          configured,
          tokens.access_token,
          new URL(`${apiUrl}${path}`),
          'GET',
          undefined,
          new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'candela' }),
        );
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
        return answer.json();
      };
      const user = userSchema.parse(await ask('/user'));
      const emails = emailsSchema.parse(await ask('/user/emails'));
      const primary = emails.find((email) => email.primary && email.verified);
      return {
        subject: `${webUrl}|${user.id}`,
        email: primary?.email,
        emailVerified: primary !== undefined,
        name: user.name ?? user.login,
      };
    },
  };
}
