import type { Clock } from '@candela/kernel';
import { RateLimiter } from '../../../http/rate-limit.ts';
import { networkOf } from '../addresses.ts';

/** How many of one office may sign in for each try that one account is given. */
const PEOPLE_BEHIND_AN_ADDRESS = 5;

/** Bounds tries to guess: of one account, whoever tries, and of one address, whichever account. */
export interface SignInThrottle {
  /** @throws rate_limited */
  account(name: string): void;
  /** @throws rate_limited */
  address(remoteAddress: string): void;
}

export function createThrottle(triesPerMinute: number, clock: Clock): SignInThrottle {
  const accounts = new RateLimiter(triesPerMinute, clock);
  const addresses = new RateLimiter(triesPerMinute * PEOPLE_BEHIND_AN_ADDRESS, clock);
  return {
    account: (name) => accounts.take(name),
    address: (remoteAddress) => addresses.take(networkOf(remoteAddress)),
  };
}
