import { RefusedAddressError } from '@candela/telemetry-store';
import { guardedFetch } from '../../../http/guarded-fetch.ts';
import { sendMail } from '../../../mail/send-mail.ts';
import type { AlertMessage, HttpCall, OpenDestination } from './channel.ts';
import { channelOf } from './index.ts';

export interface SendParts {
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Receivers on this machine and in private networks are allowed. */
  readonly allowPrivate: boolean;
}

/** A message that was not taken. The sentence is for people and holds no secret. */
export class SendError extends Error {
  override readonly name = 'SendError';
  /** Sending it again can help. */
  readonly retryable: boolean;
  /** Seconds that the receiver asks to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** The receiver is gone for good. */
  readonly isGone: boolean;

  constructor(
    message: string,
    how: { retryable: boolean; retryAfterSeconds?: number | undefined; isGone?: boolean },
  ) {
    super(message);
    this.retryable = how.retryable;
    this.retryAfterSeconds = how.retryAfterSeconds;
    this.isGone = how.isGone ?? false;
  }
}

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES = 65_536;
const LONGEST_WAIT_SECONDS = 6 * 3_600;

/** Sends a message; returns when the receiver has taken all of it. @throws SendError */
export async function send(
  parts: SendParts,
  message: AlertMessage,
  destination: OpenDestination,
  signal: AbortSignal,
): Promise<void> {
  const channel = channelOf(destination.channel.kind);
  if (channel.via === 'mail') {
    if (parts.smtpUrl === undefined)
      throw new SendError('No mail server is set up: PLATFORM_SMTP_URL is unset.', { retryable: false });
    try {
      await sendMail(parts.smtpUrl, {
        from: parts.mailFrom,
        ...channel.mail(message, destination),
        messageId: `<${message.id}@candela>`,
      });
    } catch (thrown) {
      const code = (thrown as { responseCode?: unknown }).responseCode;
      const why =
        typeof code === 'number' ? `The mail server answered ${code}.` : 'The mail server was not reached.';
      // 5yz is permanent (RFC 5321, 4.2.1).
      throw new SendError(why, { retryable: !(typeof code === 'number' && code >= 500) });
    }
    return;
  }
  const fetch = guardedFetch({ maxBytes: ANSWER_BYTES, publicOnly: !parts.allowPrivate });
  for (const call of channel.calls(message, destination)) await post(fetch, call, signal);
}

async function post(fetch: typeof globalThis.fetch, call: HttpCall, signal: AbortSignal): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(call.url, {
      method: 'POST',
      headers: { ...call.headers, 'user-agent': 'Candela' },
      body: call.body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.arrayBuffer();
  } catch (thrown) {
    if (thrown instanceof RefusedAddressError)
      throw new SendError(
        'The address is private, or one that is refused. PLATFORM_ALERT_PRIVATE_RECEIVERS allows private ones.',
        { retryable: false },
      );
    const isLate = thrown instanceof DOMException && thrown.name === 'TimeoutError';
    throw new SendError(
      isLate ? 'The receiver did not answer within 15 s.' : 'The receiver was not reached.',
      {
        retryable: true,
      },
    );
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw new SendError(`The receiver answered ${status}: redirects are not followed.`, { retryable: false });
  if (status === 410)
    throw new SendError('The receiver answered 410: it is gone.', { retryable: false, isGone: true });
  const wait = Number(answer.headers.get('retry-after'));
  throw new SendError(`The receiver answered ${status}.`, {
    retryable: status === 408 || status === 425 || status === 429 || status >= 500,
    retryAfterSeconds: Number.isFinite(wait) && wait > 0 ? Math.min(wait, LONGEST_WAIT_SECONDS) : undefined,
  });
}
