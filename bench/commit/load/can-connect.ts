import { once } from 'node:events';
import { connect } from 'node:net';

/** Resolves when a port of the loopback address takes connections. @throws when it does not. */
export async function canConnect(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
