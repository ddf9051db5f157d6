import { hasUnsafe } from '../unsafe-text.ts';

/** Attributes of a resource. A Map: the keys come from outside. */
export type Attributes = ReadonlyMap<string, string>;

const MAX_ATTRIBUTES = 128;
const MAX_KEY = 255;
const MAX_VALUE = 4_096;
const MAX_TOKEN = 255;

/** What machines and people write where they know nothing. It says less than a missing attribute, so it is one. */
const NOTHING: ReadonlySet<string> = new Set([
  'unknown',
  'none',
  'null',
  'nil',
  'undefined',
  'n/a',
  'na',
  'not available',
  'not specified',
  '<nil>',
  '<none>',
  '<unknown>',
]);

/** What stands for bytes that were no text. */
const UNREADABLE = '\ufffd';
const TOKEN = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/;

/** A text that says something and is safe to show; anything else is undefined. */
export function plausibleText(value: unknown, maxLength: number = MAX_VALUE): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '' || text.length > maxLength) return undefined;
  if (hasUnsafe(text) || text.includes(UNREADABLE)) return undefined;
  return NOTHING.has(text.toLowerCase()) ? undefined : text;
}

/** A name, an id or a place as clouds and clusters write them: one word of letters, digits and `. _ : / @ + -`. */
export function plausibleToken(value: unknown): string | undefined {
  const text = plausibleText(value, MAX_TOKEN);
  return text !== undefined && TOKEN.test(text) ? text : undefined;
}

/** Kubernetes distributions that put their own name where the instance type belongs. */
const DISTRIBUTIONS: ReadonlySet<string> = new Set(['k3s', 'rke2', 'k0s', 'kind', 'minikube', 'microk8s']);

/**
 * An instance type as a cloud sells it: `p5.48xlarge`, `a2-highgpu-8g`, `Standard_ND96isr_H100_v5`. All of them have a
 * digit or a separator; a bare word is somebody's placeholder.
 */
export function plausibleInstanceType(value: unknown): string | undefined {
  const text = plausibleToken(value);
  if (text === undefined || DISTRIBUTIONS.has(text.toLowerCase())) return undefined;
  return /[\d._-]/.test(text) ? text : undefined;
}

/** What the operator said of the machine, and the keys of what cannot be sent. */
export interface Explicit {
  readonly attributes: Attributes;
  readonly refused: readonly string[];
}

/** Who sends is not for the environment to say: the platform tells agents from programs by these. */
const OWN = /^telemetry\.(?:sdk|distro)\./;

/** The pairs of `OTEL_RESOURCE_ATTRIBUTES` that may be sent: bounded, safe to show, saying something. */
export function explicitAttributes(given: Attributes): Explicit {
  const attributes = new Map<string, string>();
  const refused: string[] = [];
  for (const [key, raw] of given) {
    const value = plausibleText(raw);
    const fits =
      attributes.size < MAX_ATTRIBUTES && plausibleText(key, MAX_KEY) !== undefined && !OWN.test(key);
    if (value === undefined || !fits) refused.push(key.slice(0, MAX_KEY));
    else attributes.set(key, value);
  }
  return { attributes, refused };
}
