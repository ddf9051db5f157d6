import type { BodyOf, ChatConfig, ModelProvider, ROUTES } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredChatSettings, StoredModel } from '@candela/metadata-store';
import { warmUp } from '../../llm/ask.ts';
import { actorName, record } from '../audit/service.ts';
import { createModels } from '../models/service.ts';

export type Answering = StoredChatSettings & { readonly model: StoredModel };

const UNSET =
  'The assistant has no model yet. Choose provider, model and the secret with the key under Settings, Assistant.';

/** Name of the model that the settings make by themselves. */
const OWN_MODEL = 'Assistant';
const OWN_OUTPUT_TOKENS = 4_096;

/** Settings of the assistant: who answers, and what it may cost. */
export function createChatSettings(metadata: MetadataStore) {
  const models = createModels(metadata);

  /** @throws assistant_unset with a sentence that names what is missing */
  async function answering(context: RequestContext): Promise<Answering> {
    const settings = await metadata.chatSettings.find(context);
    if (settings === undefined) throw fail('assistant_unset', { detail: UNSET });
    const model = (await metadata.models.list(context)).find(({ id }) => id === settings.modelId);
    if (model === undefined) {
      throw fail('assistant_unset', {
        detail: 'The model of the assistant was deleted. Choose another one under Settings, Assistant.',
      });
    }
    if (model.secretId !== null) {
      try {
        await metadata.vaultSecrets.get(context, model.secretId);
      } catch {
        throw fail('assistant_unset', {
          detail: `The secret with the key of the model "${model.name}" is not in the vault any more. Choose another one.`,
        });
      }
    }
    // Written by the contract's schema and nobody else.
    void warmUp(model.provider as ModelProvider).catch(() => undefined);
    return { ...settings, model };
  }

  const show = ({ model, ...settings }: Answering): ChatConfig => ({
    modelId: model.id,
    provider: model.provider,
    model: model.model,
    vaultId: model.secretId,
    dailyCapUsd: settings.dailyCapUsd,
    messageCapUsd: settings.messageCapUsd,
    contextTokens: settings.contextTokens,
    updatedBy: settings.updatedBy,
    updatedAt: new Date(settings.updatedAt).toISOString(),
  });

  async function modelIdOf(
    context: RequestContext,
    body: BodyOf<typeof ROUTES.saveChatConfig>,
  ): Promise<string> {
    if (body.modelId !== undefined) return (await metadata.models.get(context, body.modelId)).id;
    const { provider, model, vaultId, baseUrl } = body;
    const needsKey = provider !== 'openai-compatible' || baseUrl === null;
    const missing = [
      ...(provider === undefined ? ['provider'] : []),
      ...(model === undefined ? ['model'] : []),
      ...(vaultId === undefined && needsKey ? ['vaultId (the secret that holds the key)'] : []),
    ];
    if (provider === undefined || model === undefined || missing.length > 0) {
      throw fail('assistant_unset', {
        detail: `The assistant needs provider, model and a secret of the vault. Missing: ${missing.join(', ')}.`,
      });
    }
    const wanted = {
      name: OWN_MODEL,
      provider,
      model,
      baseUrl,
      allowInsecure: false,
      secretId: vaultId ?? null,
      temperature: null,
      maxOutputTokens: OWN_OUTPUT_TOKENS,
    };
    const own = (await metadata.models.list(context)).find(({ name }) => name === OWN_MODEL);
    if (own === undefined) return (await models.create(context, wanted, undefined)).id;
    await models.update(context, own.id, { ...wanted, version: own.version }, undefined);
    return own.id;
  }

  return {
    answering,

    /** Null while nothing was saved; `missing` says why the assistant cannot work. */
    async read(context: RequestContext): Promise<{ data: ChatConfig | null; missing: string | null }> {
      try {
        return { data: show(await answering(context)), missing: null };
      } catch (thrown) {
        const { code, message } = thrown as { readonly code?: string; readonly message: string };
        if (code !== 'assistant_unset') throw thrown;
        return { data: null, missing: message };
      }
    },

    async save(context: RequestContext, body: BodyOf<typeof ROUTES.saveChatConfig>): Promise<ChatConfig> {
      const modelId = await modelIdOf(context, body);
      const { dailyCapUsd, messageCapUsd, contextTokens } = body;
      const updatedBy = actorName(context);
      await metadata.change(undefined, async (repositories) => {
        await repositories.chatSettings.save(context, {
          modelId,
          dailyCapUsd,
          messageCapUsd,
          contextTokens,
          updatedBy,
        });
        await record(repositories, context, {
          action: 'assistant.configure',
          objectKind: 'assistant',
          objectId: modelId,
          details: { modelId, dailyCapUsd, messageCapUsd },
        });
      });
      return show(await answering(context));
    },
  };
}

export type ChatSettings = ReturnType<typeof createChatSettings>;
