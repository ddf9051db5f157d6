import { needEnvironment, setInEnvironment } from './environment.js';
import { isRecord } from './transport.js';
import { freeze, unexpected } from './read.js';
import { callWithRetries } from './retry.js';
function readSecrets(res) {
    if (!isRecord(res))
        throw unexpected('res');
    for (const value of Object.values(res))
        if (typeof value !== 'string')
            throw unexpected('res.*');
    return freeze(res);
}
/** Secrets are never kept here: a changed or withdrawn one counts with the next call. */
export async function getSecrets({ settings, flights }, request) {
    const environment = request.shouldSetEnv === true ? needEnvironment() : undefined;
    const { key, tags, metaProperties } = request;
    const body = JSON.stringify({
        key,
        tags,
        metaProperties: { ...settings.metaProperties, ...metaProperties },
        source: 'candela-typescript',
    });
    const secrets = await flights.join(body, request.signal, async (signal) => {
        const call = { path: '/api/vault/get-secrets', contentType: 'text/plain;charset=UTF-8', body };
        return readSecrets((await callWithRetries(settings, call, signal)).body['res']);
    });
    if (environment !== undefined)
        setInEnvironment(environment, secrets);
    return secrets;
}
