import { httpUrl, port, text, variable, type Variable } from './variable.ts';

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
} as const satisfies Record<string, Variable<unknown>>;
