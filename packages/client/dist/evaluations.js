import { misconfigured } from './errors.js';
import { Fields } from './read.js';
import { callWithRetries } from './retry.js';
const BASE = '/api/evaluation';
const never = new AbortController().signal;
/** @param retries 0: a call that must not be made twice */
async function post(settings, path, body, signal, retries) {
    const call = { path, contentType: 'application/json', body: JSON.stringify(body) };
    const answer = await callWithRetries(settings, call, signal ?? never, retries);
    return new Fields(answer.body['data'], 'answer.data');
}
/** Records a score. It has an id before it is sent, so that repeating the call records it once. */
export async function addScore(settings, { signal, ...score }) {
    if (score.value === undefined && score.label === undefined)
        throw misconfigured('A score has a `value` or a `label`.');
    const id = score.id ?? globalThis.crypto.randomUUID();
    return { id: (await post(settings, `${BASE}/scores`, { ...score, id }, signal)).text('id') };
}
/** Adds items to a dataset as one new revision; items without an id get one from their content. */
export async function addDatasetItems(settings, { dataset, items, signal }) {
    const path = `${BASE}/datasets/${encodeURIComponent(dataset)}/items`;
    return { ids: (await post(settings, path, { items }, signal)).texts('ids') };
}
/** Begins an experiment whose outputs are sent with `addExperimentOutputs`. */
export async function createExperiment(settings, { signal, ...request }) {
    const body = { ...request, target: { kind: 'external' } };
    return { id: (await post(settings, `${BASE}/experiments`, body, signal, 0)).text('id') };
}
/** Sends outputs for items of an experiment. What was sent before is passed over, so the call may be repeated. */
export async function addExperimentOutputs(settings, { experiment, items, signal }) {
    await post(settings, `${BASE}/experiments/${encodeURIComponent(experiment)}/items`, { items }, signal);
}
