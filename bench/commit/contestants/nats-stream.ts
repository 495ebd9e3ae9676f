import { once } from 'node:events';
import { connect } from 'node:net';

/** The subjects of the stream; what follows is the key. */
export const NATS_SUBJECT = 'commit.';

/** Makes the stream that everything is published to: on files, nothing is ever removed. @throws when it is refused. */
export async function createStream(port: number): Promise<void> {
  const config = JSON.stringify({
    name: 'BENCH',
    subjects: [`${NATS_SUBJECT}*`],
    storage: 'file',
    retention: 'limits',
    num_replicas: 1,
  });
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    socket.write(
      'CONNECT {"verbose":false}\r\nSUB created 1\r\n' +
        `PUB $JS.API.STREAM.CREATE.BENCH created ${config.length}\r\n${config}\r\n`,
    );
    let text = '';
    socket.setTimeout(5_000, () => socket.destroy(new Error('JetStream does not answer')));
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.includes('"did_create":true')) return;
      if (text.includes('"error"') || text.includes('-ERR')) break;
    }
    throw new Error(`the stream was not made: ${text}`);
  } finally {
    socket.destroy();
  }
}
