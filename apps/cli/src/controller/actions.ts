import { createPublicKey, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FoundService } from './discover.ts';
import { diffOf, planOf, removeInjection, type SdkPlace, textAt, writeInjection } from './inject.ts';
import type { ControllerState, Credential, Result } from './state.ts';
import type { Tap } from './tap.ts';

/** An action as the platform hands it out. */
export interface PolledAction {
  readonly id: string;
  readonly action_type: string;
  readonly service_key: string;
  readonly payload: string;
  readonly dry_run: boolean;
  readonly expires_at: string;
  readonly signature: string;
}

const ATTACH_MS = 5_000;
const LOOK_MS = 100;

/** Why an action may not be done; undefined when it may. */
function refusalOf(
  action: PolledAction,
  { signingKey, instance }: Credential,
  now: number,
): string | undefined {
  const { id, action_type, service_key, payload, dry_run, expires_at, signature } = action;
  const text = ['candela-action-1', instance, id, action_type, service_key, payload, dry_run, expires_at];
  try {
    const key = createPublicKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'spki' });
    if (!verify(null, Buffer.from(JSON.stringify(text)), key, Buffer.from(signature, 'base64')))
      return 'its signature is not that of the platform this controller enrolled with';
  } catch {
    return 'its signature cannot be read';
  }
  const end = Date.parse(expires_at);
  return Number.isNaN(end) || end <= now ? 'it has expired' : undefined;
}

export interface ActionParts {
  readonly state: ControllerState;
  readonly credential: Credential;
  readonly tap: Tap;
  readonly sdk: SdkPlace;
  readonly services: () => readonly FoundService[];
}

/** Does an action, once: one that has ended is told again and not done again. A forged one has no effect and no result. */
export async function perform(action: PolledAction, parts: ActionParts): Promise<Result | undefined> {
  const { state, credential } = parts;
  if (state.isDone(action.id)) {
    const known = state.results.find(({ action_id }) => action_id === action.id);
    return known ?? { action_id: action.id, status: 'completed' };
  }
  const refusal = refusalOf(action, credential, Date.now());
  if (refusal !== undefined) {
    process.stderr.write(`an action was refused: ${refusal}\n`);
    return undefined;
  }
  const fail = (error: string): Result => ({ action_id: action.id, status: 'failed', error });
  const service = parts.services().find(({ workload }) => workload === action.service_key);
  try {
    switch (action.action_type) {
      case 'instrument':
        return await instrument(action, service, parts);
      case 'uninstrument': {
        const result: Result = { action_id: action.id, status: 'completed' };
        state.finish(result, (wishes) => wishes.delete(action.service_key));
        parts.tap.watch(parts.services(), state.wishes);
        return result;
      }
      case 'enable_sdk':
      case 'disable_sdk': {
        const result =
          service === undefined ? fail('the service is not running here') : sdk(action, service, parts);
        state.finish(result);
        return result;
      }
      default: {
        const result = fail(
          `this controller does not know ${action.action_type}: it is older than the platform`,
        );
        state.finish(result);
        return result;
      }
    }
  } catch (thrown) {
    const result = fail(thrown instanceof Error ? thrown.message : String(thrown));
    state.finish(result);
    return result;
  }
}

async function instrument(
  action: PolledAction,
  service: FoundService | undefined,
  { state, tap, services }: ActionParts,
): Promise<Result> {
  const { action_id, failed } = { action_id: action.id, failed: 'failed' as const };
  const content = (JSON.parse(action.payload) as { content?: unknown }).content === true;
  const end = (result: Result, keep: boolean): Result => {
    state.finish(result, (wishes) => {
      if (keep) wishes.set(action.service_key, { content });
      else wishes.delete(action.service_key);
    });
    tap.watch(services(), state.wishes);
    return result;
  };
  if (service === undefined)
    return end({ action_id, status: failed, error: 'the service is not running here' }, false);
  if (!service.tap.possible) return end({ action_id, status: failed, error: service.tap.detail }, false);
  tap.watch(services(), new Map([...state.wishes, [action.service_key, { content }]]));
  for (const until = Date.now() + ATTACH_MS; Date.now() < until; await sleep(LOOK_MS)) {
    const status = tap.of(action.service_key);
    if (status?.state === 'attached' && status.content === content)
      return end({ action_id, status: 'completed' }, true);
    if (status?.state === 'unavailable')
      return end({ action_id, status: failed, error: status.detail }, false);
  }
  return end({ action_id, status: failed, error: `the tap did not attach: ${tap.engine}` }, false);
}

function sdk(action: PolledAction, service: FoundService, { sdk: place, credential }: ActionParts): Result {
  const plan = planOf(service, place, credential.otlp);
  if (typeof plan === 'string') return { action_id: action.id, status: 'failed', error: plan };
  const before = textAt(plan.path);
  const off = action.action_type === 'disable_sdk';
  const diff = off
    ? `--- ${plan.path}\n+++ /dev/null\n${(before ?? '')
        .split('\n')
        .slice(0, -1)
        .map((line) => `-${line}`)
        .join('\n')}`
    : diffOf(plan.path, before, plan.text);
  if (!action.dry_run) {
    if (off) removeInjection(plan);
    else writeInjection(plan, place);
  }
  const who = plan.applies ? 'Then, when it suits' : 'A person applies it';
  return { action_id: action.id, status: 'completed', snapshot: `${diff}\n\n${who}: ${plan.next}` };
}
