import { isIP } from 'node:net';
import { flag, httpUrl, port, text, variable, type Variable } from './variable.ts';

/** Complete origins as a browser sends them: nothing is guessed about spelling, and there is no wildcard. */
const origins = text
  .transform((list) => list.split(',').map((entry) => entry.trim()))
  .refine((list) => list.length <= 100 && list.every(isOrigin));

function isOrigin(entry: string): boolean {
  if (!URL.canParse(entry) || entry.includes('*')) return false;
  const { protocol, origin } = new URL(entry);
  return /^https?:$/.test(protocol) && origin === entry;
}

/** Addresses and networks in CIDR notation. */
const networks = text
  .transform((list) => list.split(',').map((entry) => entry.trim()))
  .refine((list) => list.length <= 100 && list.every(isNetwork));

function isNetwork(entry: string): boolean {
  const [address = '', prefix] = entry.split('/', 2);
  const family = isIP(address);
  if (family === 0) return false;
  const bits = family === 6 ? 128 : 32;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/** Where the platform listens and how people reach it. */
export const NETWORK_VARIABLES = {
  PLATFORM_HOST: variable({
    description:
      'Address to listen on. Keep the default unless other machines must reach the platform; then every request needs an API key or somebody who is signed in, also those of programs on this machine.',
    takes: 'an IP address or host name, e.g. 0.0.0.0',
    default: '127.0.0.1',
    schema: text.regex(/^[A-Za-z0-9.:_-]{1,255}$/),
  }),
  PLATFORM_PORT: port('Port of the web UI, the API and OTLP over HTTP.', 3_000),
  PLATFORM_OTLP_HTTP_PORT: port('Port of OTLP over HTTP.', 4_318),
  PLATFORM_OTLP_GRPC_PORT: port('Port of OTLP over gRPC.', 4_317),
  PLATFORM_PUBLIC_URL: variable({
    description:
      'Where people reach the platform, when that is not the address it listens on. Unless it names this machine (localhost), every request needs an API key.',
    takes: 'an http or https URL, e.g. https://candela.example.com',
    default: undefined,
    schema: httpUrl,
  }),
  PLATFORM_TRUSTED_PROXIES: variable({
    description:
      'Proxies in front of the platform whose `X-Forwarded-For` is believed: limits by address (signing in, wrong keys) and the audit log then go by who is behind them. Without it everybody behind a proxy counts as one address. Where `PLATFORM_PUBLIC_URL` is unset, the `X-Forwarded-Proto` of these proxies decides the scheme of addresses that clients upload media to.',
    takes: 'IP addresses or networks, separated by commas, e.g. 127.0.0.1,10.0.0.0/8',
    default: undefined,
    schema: networks,
  }),
  PLATFORM_ALLOWED_CORS_ORIGINS: variable({
    description:
      'Origins of web pages that may read secrets, prompts and rules with an API key from a browser. The own address is always one. An origin that is not on the list gets no secret, whatever its key.',
    takes: 'complete origins without a path, separated by commas, e.g. https://app.example.com; no wildcards',
    default: undefined,
    schema: origins,
  }),
  PLATFORM_ALLOWED_ORIGINS: variable({
    description: 'Another name of `PLATFORM_ALLOWED_CORS_ORIGINS`; both lists count.',
    takes: 'the same',
    default: undefined,
    schema: origins,
  }),
  PLATFORM_ALERT_PRIVATE_RECEIVERS: flag(
    'Whether messages of alerts may go to receivers on this machine, in private networks and over plain http.',
    'false',
  ),
  PLATFORM_SCANNER_HOSTS: variable({
    description:
      'Hosts of repositories that scanners may clone from, beside github.com, gitlab.com, bitbucket.org and codeberg.org. These may be in a private network.',
    takes: 'host or host:port, separated by commas, e.g. git.example.com',
    default: undefined,
    schema: text
      .transform((list) => list.split(',').map((entry) => entry.trim().toLowerCase()))
      .refine(
        (list) => list.length <= 50 && list.every((entry) => /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/.test(entry)),
      ),
  }),
  PLATFORM_SCANNER_CA_FILE: variable({
    description: 'PEM file of authorities that may have signed the certificates of those hosts.',
    takes: 'a path',
    default: undefined,
    schema: text.min(1).max(4_096),
  }),
  PLATFORM_SCANNER_RULE_KEYS_FILE: variable({
    description: 'PEM file of public Ed25519 keys whose signatures on bundles of scanner rules are accepted.',
    takes: 'a path',
    default: undefined,
    schema: text.min(1).max(4_096),
  }),
  PLATFORM_OSV_DIR: variable({
    description:
      'Folder with dumps of OSV (all.zip of each ecosystem). Without it packages are not looked up, and every scan says so.',
    takes: 'a path',
    default: undefined,
    schema: text.min(1).max(4_096),
  }),
} as const satisfies Record<string, Variable<unknown>>;
