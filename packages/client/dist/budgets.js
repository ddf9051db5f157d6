import { Fields, freeze, unexpected } from './read.js';
import { callWithRetries } from './retry.js';
function readResult(body) {
    const data = new Fields(body['data'], 'data');
    return freeze({
        allowed: data.flag('allowed'),
        exceeded: data.list('exceeded').map((each) => {
            const one = new Fields(each, 'data.exceeded');
            return {
                budget: one.text('budget'),
                scope: one.text('scope'),
                value: one.isNull('value') ? null : one.text('value'),
                percent: one.isNull('percent') ? null : one.number('percent'),
                limitUsd: one.number('limitUsd'),
                blocks: one.flag('blocks'),
            };
        }),
    });
}
/** Asks whether budgets allow the next call. Never held: an exceeded budget counts with the next call. */
export async function checkBudget({ settings, flights }, { signal: given, user, model, key, session, service, agent }) {
    const query = new URLSearchParams(Object.entries({ user, model, key, session, service, agent }).filter((entry) => typeof entry[1] === 'string')).toString();
    const path = `/api/budget/check${query === '' ? '' : `?${query}`}`;
    return flights.join(path, given, async (signal) => {
        const answer = await callWithRetries(settings, { method: 'GET', path }, signal);
        if (answer.body['data'] === undefined)
            throw unexpected('answer.data');
        return readResult(answer.body);
    });
}
