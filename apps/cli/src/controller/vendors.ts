import { lookup } from 'node:dns/promises';

/** Hosts of vendors, by what the platform calls them. */
const HOSTS: readonly (readonly [string, string])[] = [
  ['api.openai.com', 'openai'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['api.cohere.com', 'cohere'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.groq.com', 'groq'],
  ['api.deepseek.com', 'deepseek'],
  ['api.together.xyz', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['openrouter.ai', 'openrouter'],
  ['models.github.ai', 'github'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 'aws.bedrock'],
  ['bedrock-runtime.us-west-2.amazonaws.com', 'aws.bedrock'],
  ['bedrock-runtime.eu-central-1.amazonaws.com', 'aws.bedrock'],
];
/** Ports that say it by themselves: Ollama. */
const PORTS: ReadonlyMap<number, string> = new Map([[11_434, 'ollama']]);
const AGAIN_MS = 300_000;

/** The vendor of a name that a program called. */
export function vendorOfHost(host: string): string | undefined {
  const name = host.toLowerCase();
  if (/^bedrock-runtime[.-][\w.-]+\.amazonaws\.com$/.test(name)) return 'aws.bedrock';
  if (name.endsWith('.openai.azure.com')) return 'azure.ai.openai';
  if (name.endsWith('-aiplatform.googleapis.com')) return 'gcp.vertex_ai';
  return HOSTS.find(([known]) => known === name)?.[1];
}

/** Which vendor an address belongs to. A hint: vendors share addresses of content networks. */
export class VendorAddresses {
  #known = new Map<string, string>();
  #asked = 0;
  #custom = '';

  /** Asks for the addresses again every five minutes, and when other hosts are named; `custom` are host or host:port. */
  async refresh(custom: readonly string[]): Promise<void> {
    const named = custom.join(' ');
    if (named === this.#custom && Date.now() - this.#asked < AGAIN_MS) return;
    this.#asked = Date.now();
    this.#custom = named;
    const known = new Map<string, string>();
    const own = custom.map((text) => {
      const match = /^(.*?)(?::(\d+))?$/.exec(text);
      return [match?.[1] ?? text, 'custom', match?.[2]] as const;
    });
    await Promise.all(
      [...HOSTS.map(([host, vendor]) => [host, vendor, undefined] as const), ...own].map(
        async ([host, vendor, port]) => {
          const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
          for (const { address } of found) known.set(`${address}:${port ?? '443'}`, vendor);
        },
      ),
    );
    this.#known = known;
  }

  of(address: string, port: number): string | undefined {
    return this.#known.get(`${address}:${port}`) ?? PORTS.get(port);
  }
}
