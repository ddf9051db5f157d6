import { CandelaError, type Clock, type Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { accountHandlers } from './account/routes.ts';
import { createMailer } from './invitations/mail.ts';
import { createInvitations } from './invitations/service.ts';
import { keyHandlers } from './keys/routes.ts';
import { organisationHandlers } from './organisation/routes.ts';
import { createPersonView } from './person-view.ts';
import { projectHandlers } from './projects/routes.ts';
import { githubProvider } from './providers/github.ts';
import { oidcProvider } from './providers/oidc.ts';
import type { ProviderSettings, SignInProvider } from './providers/provider.ts';
import { createProviders } from './providers/service.ts';
import type { Identity } from './service.ts';
import { createDevices } from './sign-in/device.ts';
import { signInHandlers } from './sign-in/routes.ts';
import type { Sealer } from './sign-in/second-factor.ts';
import { createSignIn } from './sign-in/service.ts';
import { createThrottle } from './sign-in/throttle.ts';

export interface PeopleConfig {
  readonly publicUrl: string | undefined;
  /** The first owner, made at the start of an installation that has none. */
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  /** Tries to sign in a minute, of one account. */
  readonly signInsPerMinute: number;
  readonly oidc: (ProviderSettings & { readonly issuer: string; readonly name: string }) | undefined;
  readonly google: ProviderSettings | undefined;
  readonly github: ProviderSettings | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
}

interface Parts {
  readonly config: PeopleConfig;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly sealer: Sealer;
  /** Address the platform listens at. */
  readonly address: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

function providersOf({ oidc, google, github }: PeopleConfig): SignInProvider[] {
  return [
    ...(oidc === undefined ? [] : [oidcProvider({ ...oidc, id: 'oidc' })]),
    ...(google === undefined
      ? []
      : [oidcProvider({ ...google, id: 'google', name: 'Google', issuer: 'https://accounts.google.com' })]),
    ...(github === undefined ? [] : [githubProvider(github)]),
  ];
}

function handlersOf(parts: Parts) {
  const { config, metadata, identity, sealer, clock, logger } = parts;
  const { publicUrl } = config;
  const baseUrl = publicUrl ?? parts.address;
  const { directory, sessions } = identity;
  const throttle = createThrottle(config.signInsPerMinute, clock);
  const view = createPersonView(metadata, directory);
  const devices = createDevices(sealer, clock);
  const signIn = createSignIn({ metadata, sessions, view, throttle, devices, sealer, clock });
  const mailer = createMailer({ ...config, logger });
  const invitations = createInvitations({ metadata, signIn, throttle, view, mailer, baseUrl, clock });
  const providers = createProviders({
    providers: providersOf(config),
    metadata,
    signIn,
    invitations,
    throttle,
    baseUrl,
    clock,
    logger,
  });
  return {
    signIn,
    handlers: {
      ...signInHandlers({
        metadata,
        identity,
        signIn,
        providers,
        invitations,
        view,
        devices,
        publicUrl,
      }),
      ...accountHandlers({ metadata, throttle, sealer, clock, publicUrl }),
      ...organisationHandlers({ metadata, invitations }),
      ...projectHandlers({ metadata, directory }),
      ...keyHandlers({ metadata, directory, clock }),
    } satisfies Partial<Handlers>,
  };
}

/** People, and what belongs to them: everything of identity that is not asked at every request. */
export function createPeople(parts: Parts) {
  const { signIn, handlers } = handlersOf(parts);
  const { config, address, logger } = parts;
  return {
    handlers,
    /** Makes the first owner, or the link that makes one; undefined: there is an owner. */
    async begin(): Promise<string | undefined> {
      try {
        if (config.admin !== undefined && (await signIn.adopt(config.admin))) {
          logger.info({ email: config.admin.email }, 'this installation is owned by PLATFORM_ADMIN_EMAIL');
        }
        const token = await signIn.setupToken();
        return token === undefined
          ? undefined
          : new URL(`/setup?token=${token}`, config.publicUrl ?? address).href;
      } catch (thrown) {
        // A full disk must not keep the platform from being read.
        if (!(thrown instanceof CandelaError) || thrown.code !== 'metadata_unavailable') throw thrown;
        logger.warn(
          { err: thrown },
          'nobody can become the owner: there is no room for the setup link; start again once there is',
        );
        return undefined;
      }
    },
  };
}

export type People = ReturnType<typeof createPeople>;
