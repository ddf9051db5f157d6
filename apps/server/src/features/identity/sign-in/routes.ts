import { DEFAULT_ORGANISATION_ID, DEFAULT_PROJECT_ID } from '@candela/kernel';
import type { Person } from '@candela/contract';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../../http/handlers.ts';
import { record } from '../../audit/service.ts';
import type { InvitationService } from '../invitations/service.ts';
import type { PersonView } from '../person-view.ts';
import type { ProviderService } from '../providers/service.ts';
import type { Identity } from '../service.ts';
import { cookieKinds, readCookie, setCookie } from '../sessions/cookies.ts';
import { DEVICE_COOKIE, type Devices } from './device.ts';
import type { Begun, SignInService, Step } from './service.ts';

type Names =
  | 'getAuthStatus'
  | 'setUp'
  | 'signIn'
  | 'signInTotp'
  | 'startProvider'
  | 'finishProvider'
  | 'signOut'
  | 'lookAtInvitation'
  | 'acceptInvitation';

export interface SignInRouteParts {
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly signIn: SignInService;
  readonly providers: ProviderService;
  readonly invitations: InvitationService;
  readonly view: PersonView;
  readonly devices: Devices;
  readonly publicUrl: string | undefined;
}

/** The endpoints people come in by. */
export function signInHandlers(parts: SignInRouteParts): Pick<Handlers, Names> {
  const { metadata, identity, signIn, providers, invitations, view, devices } = parts;
  const cookies = cookieKinds(parts.publicUrl);
  type Jar = { readonly setCookie: (value: string) => void };

  const enter = ({ setCookie: add }: Jar, { token, maxAgeSeconds }: Begun, { email }: Person) => {
    add(setCookie(cookies.session, token, maxAgeSeconds));
    add(setCookie(cookies.attempt, undefined, 0));
    const device = devices.issue(email);
    add(setCookie(cookies.device, device.value, device.maxAgeSeconds));
  };
  const deviceOf = (header: (name: string) => string | undefined) =>
    readCookie(cookies.device, header('cookie'), DEVICE_COOKIE);
  const wait = ({ setCookie: add }: Jar, { token, maxAgeSeconds }: Begun) =>
    add(setCookie(cookies.attempt, token, maxAgeSeconds));

  function stepped(jar: Jar, step: Step) {
    if (step.next === 'totp') {
      wait(jar, step.attempt);
      return { next: step.next, person: null };
    }
    enter(jar, step.session, step.person);
    return { next: step.next, person: step.person };
  }
  const attemptOf = (header: (name: string) => string | undefined) =>
    readCookie(cookies.attempt, header('cookie'));

  return {
    getAuthStatus: async ({ caller }) => {
      const owner = await identity.person(caller);
      const person = owner === undefined ? null : await view.person(owner.userId);
      const around = person === null && (await identity.mayLookAround(caller));
      const anonymous = around
        ? { projects: await view.projects(DEFAULT_ORGANISATION_ID, [DEFAULT_PROJECT_ID]) }
        : null;
      const owned = await identity.directory.isOwned();
      return { data: { owned, providers: [...providers.list], person, anonymous } };
    },
    setUp: async ({ body, ...input }) => {
      const { session, person } = await signIn.setUp(input, body);
      enter(input, session, person);
      return { data: { person } };
    },
    signIn: async ({ body, ...input }) => {
      const visitor = { ...input, device: deviceOf(input.header) };
      return { data: stepped(input, await signIn.signIn(visitor, body)) };
    },
    signInTotp: async ({ body, header, ...input }) => {
      const visitor = { ...input, device: deviceOf(header) };
      const { session, person } = await signIn.code(visitor, attemptOf(header), body.code);
      enter(input, session, person);
      return { data: { person } };
    },
    startProvider: async ({ params, body, ...input }) => {
      const { url, attempt } = await providers.start(input, params.provider, body);
      wait(input, attempt);
      return { data: { url } };
    },
    finishProvider: async ({ params, body, header, ...input }) => {
      const attempt = attemptOf(header);
      const { step, returnTo } = await providers.finish(input, params.provider, attempt, body.search);
      return { data: { ...stepped(input, step), returnTo } };
    },
    signOut: async ({ context, ...input }) => {
      const { principal } = context;
      if (principal.kind === 'user') {
        await metadata.change(undefined, async (repositories) => {
          await repositories.sessions.end(principal.id, principal.sessionId);
          const entry = { action: 'session.sign-out', objectKind: 'user', objectId: principal.id } as const;
          await record(repositories, context, entry);
        });
      }
      input.setCookie(setCookie(cookies.session, undefined, 0));
      return { data: { signedOut: true } };
    },
    lookAtInvitation: async ({ body, caller, ...input }) => ({
      data: await invitations.look(input, body.token, await identity.person(caller)),
    }),
    acceptInvitation: async ({ body, caller, ...input }) => {
      const { session, person } = await invitations.accept(input, body, await identity.person(caller));
      if (session !== undefined) enter(input, session, person);
      return { data: { person } };
    },
  };
}
