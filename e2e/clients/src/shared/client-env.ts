/** What a client program needs to know, from its environment. */
export interface ClientEnv {
  /** `http://127.0.0.1:<port>` of the fake providers. */
  readonly ai: string;
  /** Base address of the OTLP HTTP receiver, without `/v1/traces`. */
  readonly otlp: string;
  /** `host:port` of the gRPC receiver; '' when there is none. */
  readonly grpc: string;
  /** Credential to send; '' for none. */
  readonly apiKey: string;
}

export function clientEnv(): ClientEnv {
  const read = (name: string): string => process.env[name] ?? '';
  return {
    ai: read('CLIENT_AI_URL'),
    otlp: read('CLIENT_OTLP_URL'),
    grpc: read('CLIENT_OTLP_GRPC'),
    apiKey: read('CLIENT_API_KEY'),
  };
}

/** The weather tool as OpenAI's chat completions want it. */
export const WEATHER_TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const;
/** A red square of one pixel. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
export const MODEL = 'gpt-4o-mini';
export const SESSION = 's-9';
export const USER = 'user-42';
