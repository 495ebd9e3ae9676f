import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hooks } from '../../run/options.js';
import type { FaultName } from '../faults.js';
import type { VariantName } from '../variants.js';
import { Behaviour } from './behaviour.js';
import { Disk } from './disk.js';
import { Instance } from './instance.js';
import { keyOrder } from './key-order.js';
import { KeySpace } from './key-space.js';
import { type Limits, limitsOf } from './limits.js';
import { emptyVersion } from './versions.js';

const DOWN_MS = 20;

/**
 * A server of the whole interface that keeps everything in memory: correct, unless it is given faults, and
 * legal whatever variants it is given.
 */
export class SelftestServer {
  readonly url: string;
  readonly hooks: Hooks;
  readonly #http: Server;
  readonly #behaviour: Behaviour;
  readonly #limits: Limits;
  readonly #disk: Disk;
  readonly #sockets = new Set<Socket>();
  #instance: Instance | undefined;

  private constructor(http: Server, behaviour: Behaviour) {
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    this.#http = http;
    this.#behaviour = behaviour;
    this.#limits = limitsOf(behaviour);
    this.#disk = new Disk(emptyVersion(behaviour), new KeySpace(keyOrder(behaviour)));
    this.hooks = this.#newHooks();
    this.#http.on('connection', (socket) => this.#accept(socket));
    this.#http.on('request', (request, response) => {
      void this.#instance?.handle(request, response);
    });
    this.#instance = new Instance(this.#disk, behaviour, this.#limits);
  }

  /** Starts a server on a free port of this machine. */
  static async start(options: {
    readonly faults: ReadonlySet<FaultName>;
    readonly variants: ReadonlySet<VariantName>;
  }): Promise<SelftestServer> {
    const http = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    return new SelftestServer(http, new Behaviour([...options.faults, ...options.variants]));
  }

  /** Ends the process as SIGKILL does, and starts another one on the same disk and port. */
  async restart(): Promise<void> {
    this.#kill();
    await sleep(DOWN_MS);
    this.#instance = new Instance(this.#disk, this.#behaviour, this.#limits);
  }

  async stop(): Promise<void> {
    this.#kill();
    await new Promise((resolve) => {
      this.#http.close(resolve);
    });
  }

  #newHooks(): Hooks {
    const { maxCommitBytes, minRequestIdLength, keepaliveTimeoutMs, subscriberBufferBytes, truncationKeeps } =
      this.#limits;
    return {
      restart: () => this.restart(),
      ...(truncationKeeps === undefined
        ? { truncate: async () => this.#instance?.truncate() }
        : { truncationKeeps }),
      maxCommitBytes,
      minRequestIdLength,
      keepaliveTimeoutMs,
      subscriberBufferBytes,
    };
  }

  #kill(): void {
    this.#instance?.kill();
    this.#instance = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    if (this.#instance === undefined) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
