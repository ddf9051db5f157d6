const MAX_AGENT = 200;
const MAX_PART = 60;

/** Who sent, as the sender calls itself; empty texts when it did not say. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/**
 * Name and version out of a `User-Agent`: `OTel-OTLP-Exporter-Python/1.30.0`, `OpenTelemetry Collector Contrib/0.120.0
 * (linux/amd64)`, `OTel OTLP Exporter Go/1.34.0 grpc-go/1.70.0`. The first product counts: what follows is how it was
 * built. Hostile text stays text: only printable characters are kept and the length is bounded.
 */
export function clientOf(userAgent: string | undefined): ClientName {
  const text = (userAgent ?? '')
    .slice(0, MAX_AGENT)
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim();
  const product = /^([^/(]+)\/([^\s(;]+)/.exec(text);
  const name = product?.[1] ?? text.split('(')[0] ?? '';
  return { name: name.trim().slice(0, MAX_PART), version: (product?.[2] ?? '').slice(0, MAX_PART) };
}
