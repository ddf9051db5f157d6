import { Agent, type AgentOptions } from 'node:http';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';

/** Keeps connections to one Unix socket, whatever the URL's host says. */
export class UnixAgent extends Agent {
  readonly #socketPath: string;

  constructor(socketPath: string, options: AgentOptions) {
    super(options);
    this.#socketPath = socketPath;
  }

  override createConnection(): Duplex {
    return createConnection({ path: this.#socketPath });
  }
}
