import { type CompiledPrompt, type ContextRecord, EVALUATE_LIMITS, TEMPLATE_LIMITS } from '@candela/contract';
import { CandelaError, fail } from '@candela/kernel';
import type { PromptService, ServedPrompt } from '../../prompts/service.ts';
import type { EntityKind } from './entity.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** What every kind has, and what fetching the prompt by itself would give. */
const recordOf = ({ result, index, version }: ServedPrompt): ContextRecord & CompiledPrompt => ({
  ...result,
  id: index.id,
  description: '',
  content: result.compiledPrompt,
  meta_properties: result.metaProperties,
  status: 'ACTIVE',
  created_by: index.createdBy ?? '',
  created_at: iso(index.createdAt),
  updated_at: iso(version.publishedAt ?? version.updatedAt),
});

/** Prompts, compiled as the application asks. One of which nothing is published yet is inactive. */
export function promptKind(prompts: Pick<PromptService, 'compiled'>): EntityKind {
  return {
    type: 'prompt',
    label: 'prompt',
    look: async (repositories, place, ids) =>
      new Map(
        (await repositories.prompts.heads(place, ids)).map(({ id, name, published }) => [
          id,
          { name, active: published },
        ]),
      ),
    inactive: (repositories, place) => repositories.prompts.unpublished(place),
    async records(place, ids, inputs) {
      const { variables, version, compile } = inputs;
      if (Object.keys(variables).length > TEMPLATE_LIMITS.variables) {
        throw fail('bad_request', {
          detail: `entity_inputs.variables holds more than ${TEMPLATE_LIMITS.variables} variables.`,
        });
      }
      const records = new Map<string, ContextRecord & CompiledPrompt>();
      let size = 0;
      for (const id of ids) {
        try {
          const record = recordOf(await prompts.compiled(place, { id, version, compile, variables }));
          size += record.prompt.length + 2 * record.content.length;
          records.set(id, record);
        } catch (thrown) {
          // Deleted, or without the version that is asked for: nothing to give.
          if (!(thrown instanceof CandelaError) || thrown.code !== 'not_found') throw thrown;
        }
        if (size > EVALUATE_LIMITS.recordCharacters) {
          throw fail('refused', {
            detail: `The prompts of the rules that match have more than ${EVALUATE_LIMITS.recordCharacters} characters together, which is the most an answer holds. Ask without include_entity_data and fetch those that are needed.`,
          });
        }
      }
      return records;
    },
  };
}
