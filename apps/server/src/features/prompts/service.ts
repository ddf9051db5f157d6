import { createHash } from 'node:crypto';
import { type CompiledPrompt, formatVersion, type PromptMessage, renderTemplate } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { MetadataStore, PromptIndex, StorageScope, StoredPromptVersion } from '@candela/metadata-store';
import { ReadCache } from './cache.ts';
import { chatOf, fillMessages } from './chat.ts';
import { choose } from './select.ts';

/** Version numbers that are held in memory, of all prompts together; a name that nobody has weighs like one. */
const MAX_NUMBERS = 100_000;
/** Characters of texts that are held in memory. */
const MAX_CHARACTERS = 16_777_216;

/** Which prompt, which version, and whether variables are put in. */
export interface PromptRequest {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Exact, `latest`, a label or a range; nothing is the latest. */
  readonly version?: string | null | undefined;
  readonly compile: boolean;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface ServedPrompt {
  readonly result: CompiledPrompt;
  /** Differs when the answer does. */
  readonly tag: string;
  /** Facts of prompt and version, for whoever shows them. */
  readonly index: PromptIndex;
  readonly version: StoredPromptVersion;
}

/** Published prompts, from memory where they were asked for before. */
export interface PromptService {
  /**
   * A published version, compiled when that is asked for. Counts no download.
   * @throws bad_request, not_found, refused (only a draft, too much to put in), metadata_unavailable
   */
  compiled(place: StorageScope, request: PromptRequest): Promise<ServedPrompt>;
  stop(): void;
}

export function createPromptService(metadata: MetadataStore): PromptService {
  const known = new ReadCache<PromptIndex | undefined>(
    MAX_NUMBERS,
    (index) => 1 + (index === undefined ? 0 : index.versions.length + index.labels.size),
  );
  // Published versions never change, so nothing makes these wrong; those of a deleted prompt are not asked for again.
  const texts = new ReadCache<StoredPromptVersion | undefined>(
    MAX_CHARACTERS,
    (version) => 1_000 + (version?.prompt.length ?? 0) + (version?.chat?.length ?? 0),
  );
  const forget = metadata.changes.on(['prompts', 'prompt_versions', 'prompt_labels'], () => known.clear());

  async function indexOf(place: StorageScope, { id, name }: PromptRequest): Promise<PromptIndex> {
    const key = JSON.stringify([place.projectId, place.databaseConfigId, id ?? null, name ?? null]);
    const found = await known.get(key, () => metadata.prompts.index(place, { id, name }));
    if (found === undefined) {
      throw fail('not_found', {
        what:
          name === undefined
            ? `A prompt with the id "${(id ?? '').slice(0, 100)}"`
            : `The prompt "${name.slice(0, 100)}"${id === undefined ? '' : ' with that id'}`,
      });
    }
    return found;
  }

  return {
    async compiled(place, request) {
      const index = await indexOf(place, request);
      const { id } = choose(index, request.version);
      const version = await texts.get(id, () => metadata.prompts.version(id));
      // Deleted since the index was read.
      if (version === undefined) throw fail('not_found', { what: `The prompt "${index.name}"` });
      const { messages: templates, ...call } = chatOf(version);
      const values = request.variables ?? {};
      const rendered = request.compile ? renderTemplate(version.prompt, values) : undefined;
      const messages = rendered === undefined ? templates : templates && fillMessages(templates, values);
      return {
        index,
        version,
        tag: rendered === undefined ? id : tagOf(id, rendered, messages),
        result: {
          promptId: index.id,
          versionId: id,
          name: index.name,
          version: version.number === null ? '' : formatVersion(version.number),
          tags: [...version.tags],
          metaProperties: version.meta,
          prompt: version.prompt,
          compiledPrompt: rendered?.text ?? version.prompt,
          missing: [...(rendered?.missing ?? [])],
          unused: [...(rendered?.unused ?? [])],
          ...(messages === undefined ? {} : { messages }),
          ...call,
        },
      };
    },
    stop: forget,
  };
}

function tagOf(
  versionId: string,
  { text, missing, unused }: ReturnType<typeof renderTemplate>,
  messages: readonly PromptMessage[] | undefined,
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([versionId, missing, unused, messages ?? null]))
    .update(text);
  return hash.digest('base64url').slice(0, 22);
}
