import type { CompiledPromptRequest } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Handlers } from '../../http/handlers.ts';
import type { DownloadCounter } from './downloads.ts';
import type { PromptRequest, PromptService } from './service.ts';

/** `POST /api/prompt/get-compiled`: what applications fetch. The edge tells every failure in `err`. */
export function compiledHandlers(parts: {
  readonly service: PromptService;
  readonly downloads: Pick<DownloadCounter, 'count'>;
}): Pick<Handlers, 'getCompiledPrompt'> {
  return {
    getCompiledPrompt: async ({ context, body, etag }) => {
      const { result, tag } = await parts.service.compiled(context, readRequest(body));
      etag(tag);
      parts.downloads.count(result.promptId, result.versionId, body.source);
      return { err: null, res: result };
    },
  };
}

/** What is asked for, whichever way it is spelt. @throws bad_request when no prompt is named, or two */
function readRequest(body: CompiledPromptRequest): PromptRequest {
  const ids = new Set(
    [body.promptId, body.id, body.prompt_id].filter((id): id is string => (id ?? '') !== ''),
  );
  const [id] = ids;
  const name = (body.name ?? '') === '' ? undefined : (body.name ?? undefined);
  if (id === undefined && name === undefined) {
    throw fail('bad_request', { detail: 'Say which prompt: send its "name" or its "promptId".' });
  }
  if (ids.size > 1) {
    throw fail('bad_request', {
      detail: '"promptId", "id" and "prompt_id" mean the same and differ. Send one of them.',
    });
  }
  return {
    id,
    name,
    version: body.version,
    compile: body.compile ?? body.shouldCompile ?? body.should_compile ?? false,
    variables: body.variables,
  };
}
