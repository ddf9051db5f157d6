import { misconfigured } from './errors.js';
import { Fields, freeze } from './read.js';
import { callWithRetries } from './retry.js';
function bodyOf(settings, request) {
    const { name, promptId, version, shouldCompile = false, variables = {}, metaProperties } = request;
    if (!name && !promptId)
        throw misconfigured('Say which prompt: give `name` or `promptId`.');
    return JSON.stringify({
        name,
        promptId,
        version,
        compile: shouldCompile,
        variables,
        metaProperties: { ...settings.metaProperties, ...metaProperties },
        source: 'candela-typescript',
    });
}
/** Reads the prompt of an answer: that of `get-compiled`, or one in `entity_data` of a rule. */
export function readPrompt(value, what) {
    const fields = new Fields(value, what);
    return {
        promptId: fields.text('promptId'),
        versionId: fields.text('versionId'),
        name: fields.text('name'),
        version: fields.text('version'),
        tags: fields.texts('tags'),
        metaProperties: fields.record('metaProperties'),
        prompt: fields.text('prompt'),
        compiledPrompt: fields.text('compiledPrompt'),
        missing: fields.texts('missing'),
        unused: fields.texts('unused'),
        messages: fields.list('messages').map((each) => {
            const message = new Fields(each, `${what}.messages`);
            return { role: message.text('role'), content: message.text('content') };
        }),
        // Settings and formats of a later platform pass through as they are.
        modelSettings: fields.record('modelSettings'),
        tools: fields.list('tools').map((each) => readTool(each, `${what}.tools`)),
        responseFormat: fields.isNull('responseFormat')
            ? undefined
            : fields.record('responseFormat'),
    };
}
function readTool(value, what) {
    const fields = new Fields(value, what);
    return {
        name: fields.text('name'),
        ...(fields.isNull('description') ? {} : { description: fields.text('description') }),
        ...(fields.isNull('parameters') ? {} : { parameters: fields.record('parameters') }),
    };
}
/** Characters that a copy takes, roughly. */
const sizeOf = ({ prompt, compiledPrompt, messages, modelSettings, tools, responseFormat }) => prompt.length +
    compiledPrompt.length +
    JSON.stringify([messages, modelSettings, tools, responseFormat]).length;
/** Asks the platform; a copy it confirms is used on, a copy it cannot be asked about serves meanwhile. */
async function refresh(parts, body, signal) {
    const { settings, cache } = parts;
    const { etag, bridge } = cache.known(body);
    const call = {
        path: '/api/prompt/get-compiled',
        // What shipped clients of this route send; the platform reads JSON whatever it is called.
        contentType: 'text/plain;charset=UTF-8',
        body,
        etag,
    };
    try {
        // With a copy at hand nobody is kept waiting for further attempts.
        const answer = await callWithRetries(settings, call, signal, bridge ? 0 : settings.retries);
        if (answer.status === 304) {
            const kept = cache.confirm(body, 'unchanged');
            // It was dropped for others while the platform was asked: ask again, for the whole.
            return kept === undefined
                ? await refresh(parts, body, signal)
                : { value: kept, staleBecause: undefined };
        }
        const value = freeze(readPrompt(answer.body['res'], 'res'));
        cache.confirm(body, { value, etag: answer.etag, size: body.length + sizeOf(value) });
        return { value, staleBecause: undefined };
    }
    catch (error) {
        signal.throwIfAborted();
        return cache.failed(body, error);
    }
}
export async function getPrompt(parts, request) {
    const body = bodyOf(parts.settings, request);
    request.signal?.throwIfAborted();
    const held = parts.cache.fresh(body) ??
        (await parts.flights.join(body, request.signal, async (signal) => refresh(parts, body, signal)));
    const { value, staleBecause } = held;
    return {
        ...value,
        spanAttributes: {
            'gen_ai.prompt.name': value.name,
            'gen_ai.prompt.version': value.version,
            'platform.prompt.id': value.promptId,
        },
        stale: staleBecause !== undefined,
        staleBecause,
    };
}
