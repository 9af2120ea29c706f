// Floor: bare node:http and bare Fastify, one process per worker, answering the bytes that the service answers.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { fastify } from 'fastify';

const { FLOOR_WORKERS = '2', FLOOR_BODIES = '{}' } = process.env;

if (cluster.isPrimary) {
  const ports = new Map();
  for (let index = 0; index < Number(FLOOR_WORKERS); index++) {
    cluster.fork().on('message', ({ http, web }) => {
      ports.set('http', http).set('fastify', web);
      if (index === Number(FLOOR_WORKERS) - 1) {
        process.stdout.write(
          `${JSON.stringify({ http: `http://127.0.0.1:${ports.get('http')}`, fastify: `http://127.0.0.1:${ports.get('fastify')}` })}\n`,
        );
      }
    });
  }
  process.on('SIGTERM', () => process.exit(0));
} else {
  const bodies = JSON.parse(FLOOR_BODIES);
  const bare = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(bodies[request.url ?? ''] ?? '{}');
    });
  });
  const app = fastify({ bodyLimit: 1_048_576 });
  for (const [path, body] of Object.entries(bodies)) {
    app.get(path, (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(body),
    );
  }
  app.post('/v1/events', (_request, reply) =>
    reply
      .code(202)
      .header('content-type', 'application/json; charset=utf-8')
      .send('{"data":{"accepted":50,"duplicates":0,"rejected":[]},"status":"success"}'),
  );
  await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send({ http: bare.address().port, web: app.server.address().port });
}
