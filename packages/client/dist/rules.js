import { misconfigured } from './errors.js';
import { readPrompt } from './prompts.js';
import { Fields, freeze, unexpected } from './read.js';
import { callWithRetries } from './retry.js';
function readContext(value, what) {
    const fields = new Fields(value, what);
    const orEmpty = (key) => (fields.has(key) ? fields.text(key) : '');
    return {
        id: fields.text('id'),
        name: fields.text('name'),
        description: orEmpty('description'),
        content: fields.text('content'),
        tags: fields.texts('tags'),
        metaProperties: fields.record('meta_properties'),
        status: fields.text('status'),
        createdBy: orEmpty('created_by'),
        createdAt: orEmpty('created_at'),
        updatedAt: orEmpty('updated_at'),
    };
}
/** `entity_data` is keyed `<entity type>:<entity id>`; this takes those of one kind. */
function readData(data, type, read) {
    const found = new Map();
    for (const [key, value] of Object.entries(data)) {
        if (!key.startsWith(`${type}:`))
            continue;
        found.set(key.slice(type.length + 1), value === null ? null : freeze(read(value, `entity_data.${type}`)));
    }
    return found;
}
function readResult(body) {
    const fields = new Fields(body, 'answer');
    if (!fields.has('matchingRuleIds'))
        throw unexpected('answer.matchingRuleIds');
    const data = fields.record('entity_data');
    return {
        matchingRuleIds: freeze(fields.texts('matchingRuleIds')),
        entities: freeze(fields.list('entities').map((each) => {
            const entity = new Fields(each, 'entities');
            return {
                ruleId: entity.text('rule_id'),
                entityType: entity.text('entity_type'),
                entityId: entity.text('entity_id'),
            };
        })),
        contexts: readData(data, 'context', readContext),
        prompts: readData(data, 'prompt', readPrompt),
    };
}
/** Asks which rules match the fields and what they are linked to. */
export async function evaluateRule({ settings, flights }, request) {
    const { entityType, fields, includeEntityData = false, entityInputs, metaProperties } = request;
    if (Object.keys(fields).length === 0)
        throw misconfigured('Give at least one of `fields` to match rules against.');
    const body = JSON.stringify({
        entity_type: entityType,
        fields,
        include_entity_data: includeEntityData,
        entity_inputs: entityInputs,
        metaProperties: { ...settings.metaProperties, ...metaProperties },
        source: 'candela-typescript',
    });
    return flights.join(body, request.signal, async (signal) => {
        const call = { path: '/api/rule-engine/evaluate', contentType: 'application/json', body };
        return readResult((await callWithRetries(settings, call, signal)).body);
    });
}
