import { isLoopbackName } from '../addresses.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ProviderSettings, SignInProvider } from './provider.ts';

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;
/** How long what the issuer says about itself (addresses, keys) is believed. */
const DISCOVERY_MS = 3_600_000;

/** Loaded at the first sign-in there. */
const library = () => import('openid-client');

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Any OpenID Connect issuer: code flow with PKCE, state and nonce; the ID token is verified by the library. */
export function oidcProvider(
  parts: ProviderSettings & { readonly id: string; readonly name: string; readonly issuer: string },
): SignInProvider {
  const { id, name, issuer, clientId, clientSecret } = parts;
  type Configuration = Awaited<ReturnType<typeof discover>>;
  let known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;

  async function discover() {
    const client = await library();
    const url = new URL(issuer);
    // Plain HTTP to this machine only: tests, and a proxy beside us.
    const insecure = url.protocol === 'http:' && isLoopbackName(url.hostname);
    return client.discovery(url, clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      [client.customFetch]: boundedFetch,
      execute: insecure ? [client.allowInsecureRequests] : [],
    });
  }

  function configuration(): Promise<Configuration> {
    const now = performance.now();
    if (known !== undefined && now < known.until) return known.configuration;
    const found = discover();
    known = { configuration: found, until: now + DISCOVERY_MS };
    found.catch(() => {
      known = undefined;
    });
    return found;
  }

  return {
    id,
    name,

    async start(redirectUri, { state, nonce, codeVerifier }) {
      const client = await library();
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).href;
    },

    async finish(callback, { state, nonce, codeVerifier }) {
      const client = await library();
      const configured = await configuration();
      const tokens = await client.authorizationCodeGrant(configured, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The issuer sent no ID token.');
      // Some issuers put the address into the userinfo answer only.
      const more =
        claims['email'] === undefined && configured.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configured, tokens.access_token, claims.sub)
          : undefined;
      return {
        // Another issuer in the configuration must not make its subjects the accounts of the one before.
        subject: `${claims.iss}|${claims.sub}`,
        email: textOf(claims['email'] ?? more?.email),
        emailVerified: (claims['email_verified'] ?? more?.email_verified) === true,
        name: textOf(claims['name'] ?? more?.name),
      };
    },
  };
}
