import type { BodyOf, ModelConfig, ModelProvider, ROUTES } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type {
  AuditDetails,
  Call,
  MetadataStore,
  NewModel,
  Repositories,
  StoredModel,
} from '@candela/metadata-store';
import { type AuditEntry, record } from '../audit/service.ts';
import { modelAddress } from './address.ts';

type Settings = Omit<BodyOf<typeof ROUTES.updateModel>, 'version'>;

const iso = (ms: number): string => new Date(ms).toISOString();
const entry = (verb: string, objectId: string, details: AuditDetails): AuditEntry => ({
  action: `model.${verb}`,
  objectKind: 'model',
  objectId,
  details,
});

const show = ({ settings, provider, createdAt, updatedAt, ...rest }: StoredModel): ModelConfig => ({
  ...rest,
  ...settings,
  // Written by the contract's schema and nobody else.
  provider: provider as ModelProvider,
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

/** What a request means for the row. @throws refused */
function rowOf({ principal }: RequestContext, body: Settings): NewModel {
  const { name, provider, model, allowInsecure, secretId, temperature, maxOutputTokens } = body;
  const baseUrl = body.baseUrl === null ? null : modelAddress(body.baseUrl, allowInsecure);
  if (baseUrl === null && provider === 'openai-compatible') {
    throw fail('refused', {
      detail: 'An OpenAI-compatible server needs its base URL, such as http://127.0.0.1:11434/v1.',
    });
  }
  if (baseUrl === null && secretId === null) {
    throw fail('refused', {
      detail: 'Choose the secret of the vault that holds the API key of this provider.',
    });
  }
  const by = 'name' in principal ? (principal.name ?? null) : null;
  const settings = { temperature, maxOutputTokens };
  return { name, provider, model, baseUrl, allowInsecure, secretId, settings, by };
}

/** @throws not_found */
async function requireSecret(
  { vaultSecrets }: Pick<Repositories, 'vaultSecrets'>,
  context: RequestContext,
  { secretId }: NewModel,
): Promise<void> {
  if (secretId !== null) await vaultSecrets.get(context, secretId);
}

/** Language models of a project and database configuration: what people see and change of them. */
export function createModels(metadata: MetadataStore) {
  return {
    async list(context: RequestContext): Promise<ModelConfig[]> {
      return (await metadata.models.list(context)).map(show);
    },

    create(context: RequestContext, body: Settings, call: Call | undefined): Promise<ModelConfig> {
      const row = rowOf(context, body);
      return metadata.change(call, async (repositories) => {
        await requireSecret(repositories, context, row);
        const made = await repositories.models.create(context, row);
        const { name, provider, model, baseUrl, secretId } = made;
        await record(
          repositories,
          context,
          entry('create', made.id, { name, provider, model, baseUrl, secretId }),
        );
        return show(made);
      });
    },

    update(
      context: RequestContext,
      id: string,
      { version, ...body }: Settings & { readonly version: number },
      call: Call | undefined,
    ): Promise<ModelConfig> {
      return metadata.change(call, async (repositories) => {
        // First whether there is one: what is wrong with the body is nobody's business elsewhere.
        await repositories.models.get(context, id);
        const row = rowOf(context, body);
        await requireSecret(repositories, context, row);
        const changed = await repositories.models.update(context, id, version, row);
        const { name, provider, model, baseUrl, secretId } = changed;
        await record(
          repositories,
          context,
          entry('update', id, { name, provider, model, baseUrl, secretId }),
        );
        return show(changed);
      });
    },

    delete(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      return metadata.change(call, async (repositories) => {
        const { name } = await repositories.models.get(context, id);
        await repositories.models.delete(context, id);
        await record(repositories, context, entry('delete', id, { name }));
        return { id };
      });
    },
  };
}
