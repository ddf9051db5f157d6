import type { Clock } from '@candela/kernel';
import { RateLimiter } from '../../../http/rate-limit.ts';
import { networkOf } from '../addresses.ts';

/** How many of one office may sign in for each try that one account is given. */
const PEOPLE_BEHIND_AN_ADDRESS = 5;
/** Places from which one account may be tried at once. */
const ADDRESSES_OF_AN_ACCOUNT = 10;

/** Who tries. */
export interface Trier {
  readonly address: string;
  /** A browser in which this account signed in before. */
  readonly device: string | undefined;
}

/**
 * Bounds tries to guess, and nobody's tries keep somebody else out: those of an account are counted by the address that
 * they come from, and a browser in which the account signed in before has a count of its own.
 */
export interface SignInThrottle {
  /** A password for an account. @throws rate_limited */
  password(account: string, trier: Trier): void;
  /** A code after the right password: few, wherever they come from. @throws rate_limited */
  code(account: string, trier: Trier): void;
  /** Something that somebody who is signed in proves again. @throws rate_limited */
  account(name: string): void;
  /** Anything else that a stranger tries. @throws rate_limited */
  address(remoteAddress: string): void;
}

export function createThrottle(triesPerMinute: number, clock: Clock): SignInThrottle {
  const of = (times: number) => new RateLimiter(triesPerMinute * times, clock);
  const [pairs, devices, codes, signedIn] = [of(1), of(1), of(1), of(1)];
  const addresses = of(PEOPLE_BEHIND_AN_ADDRESS);
  const accounts = of(ADDRESSES_OF_AN_ACCOUNT);
  return {
    password(account, { address, device }) {
      if (device !== undefined) {
        devices.take(device);
        return;
      }
      const network = networkOf(address);
      addresses.take(network);
      pairs.take(`${network} ${account}`);
      accounts.take(account);
    },
    code(account, { address, device }) {
      if (device !== undefined) {
        devices.take(device);
        return;
      }
      addresses.take(networkOf(address));
      codes.take(account);
    },
    account: (name) => signedIn.take(name),
    address: (remoteAddress) => addresses.take(networkOf(remoteAddress)),
  };
}
