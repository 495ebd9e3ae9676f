/** A load: so many closed-loop clients; each sends its next transaction as soon as the last one is answered. */
export interface LoadShape {
  /** As in `--clients`. */
  readonly label: string;
  readonly clients: number;
  /** Sockets that all clients share by pipelining; undefined: as is usual with the contestant. */
  readonly sockets: number | undefined;
}

/** How the clients share connections; those that find all of them busy wait in line. */
export interface ConnectionShape {
  readonly connections: number;
  /** Most requests under way on one connection. */
  readonly depth: number;
}

/** `64`: clients with a connection each (or as is usual). `8x32`: 8 sockets, 32 requests deep each. */
export function parseLoadShape(label: string): LoadShape {
  const [, first, depth] = /^([1-9]\d{0,4})(?:x([1-9]\d{0,4}))?$/.exec(label) ?? [];
  if (first === undefined) throw new Error(`--clients: "${label}" is neither a number nor like 8x32`);
  if (depth === undefined) return { label, clients: Number(first), sockets: undefined };
  return { label, clients: Number(first) * Number(depth), sockets: Number(first) };
}

/** A connection for each client, or so many pipelined sockets as the load asks for. */
export function connectionPerClient({ clients, sockets }: LoadShape): ConnectionShape {
  return sockets === undefined
    ? { connections: clients, depth: 1 }
    : { connections: sockets, depth: clients / sockets };
}

/** The same, for a server that is not measured with pipelining. */
export function unpipelined(load: LoadShape): ConnectionShape | undefined {
  return load.sockets === undefined ? connectionPerClient(load) : undefined;
}
