// The ceilings: `node echo-server.js node-http|koa-raw|koa-body PORT`. They read a commit as JSON and answer as the
// service would, without deciding or writing anything.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import Koa from 'koa';
import { koaBody } from 'koa-body';

export type EchoKind = 'node-http' | 'koa-raw' | 'koa-body';

interface CommitRequest {
  readonly request_id: string;
  readonly leader_id: string;
}

let version = 0;

function answer({ leader_id, request_id }: CommitRequest): Record<string, unknown> {
  version += 1;
  return { status: 'committed', version, leader_id, request_id };
}

function readBody(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

function nodeHttp(): RequestListener {
  return (request, response) =>
    readBody(request, (body) => {
      const text = JSON.stringify(answer(JSON.parse(body.toString()) as CommitRequest));
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      });
      response.end(text);
    });
}

function koaRaw(): RequestListener {
  const app = new Koa();
  app.use(async (ctx) => {
    const body = await new Promise<Buffer>((resolve) => readBody(ctx.req, resolve));
    ctx.body = answer(JSON.parse(body.toString()) as CommitRequest);
  });
  return app.callback();
}

function koaWithKoaBody(): RequestListener {
  const app = new Koa();
  app.use(koaBody());
  app.use((ctx) => {
    ctx.body = answer(ctx.request.body as unknown as CommitRequest);
  });
  return app.callback();
}

const LISTENERS: Readonly<Record<EchoKind, () => RequestListener>> = {
  'node-http': nodeHttp,
  'koa-raw': koaRaw,
  'koa-body': koaWithKoaBody,
};

const [kind, port] = process.argv.slice(2);
createServer({ noDelay: true, keepAliveTimeout: 75_000 }, LISTENERS[kind as EchoKind]()).listen(
  Number(port),
  '127.0.0.1',
);
