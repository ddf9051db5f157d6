/** What a provider says about who signed in there. */
export interface ProvenAccount {
  /** What the provider calls the account, for ever; with the issuer where several could say the same. */
  readonly subject: string;
  readonly email: string | undefined;
  /** Only `true` counts: an address nobody verified is somebody's claim. */
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

/** What must be remembered between leaving and coming back. */
export interface Journey {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Another place to sign in at. */
export interface SignInProvider {
  readonly id: string;
  readonly name: string;
  /** Where the browser is sent. */
  start(redirectUri: string, journey: Journey): Promise<string>;
  /** What came back with it, checked. @throws whatever went wrong */
  finish(callback: URL, journey: Journey): Promise<ProvenAccount>;
}

export interface ProviderSettings {
  readonly clientId: string;
  readonly clientSecret: string;
}
