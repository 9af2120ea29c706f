// Floor: bare node:http and bare Fastify, one process per worker, returning the bytes that the service returns.
// FLOOR_RESPONSES: a JSON file, { "GET /path": { status, headers, body } }.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fastify } from 'fastify';

const { FLOOR_WORKERS = '2', FLOOR_RESPONSES = '' } = process.env;
const NOTHING = { status: 404, headers: {}, body: '{}' };

if (cluster.isPrimary) {
  const count = Number(FLOOR_WORKERS);
  let listening = 0;
  for (let index = 0; index < count; index++) {
    // All workers share the two ports.
    cluster.fork().on('message', ({ http, web }) => {
      if (++listening < count) return;
      const urls = { http: `http://127.0.0.1:${http}`, fastify: `http://127.0.0.1:${web}` };
      process.stdout.write(`${JSON.stringify(urls)}\n`);
    });
  }
  process.on('SIGTERM', () => process.exit(0));
} else {
  const responses = JSON.parse(readFileSync(FLOOR_RESPONSES, 'utf8'));
  const bare = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, headers, body } = responses[`${request.method} ${request.url}`] ?? NOTHING;
      response.writeHead(status, headers);
      response.end(body);
    });
  });
  const app = fastify({ bodyLimit: 1_048_576 });
  for (const [route, { status, headers, body }] of Object.entries(responses)) {
    const [method, url] = route.split(' ');
    const handler = (_request, reply) => reply.code(status).headers(headers).send(body);
    app.route({ method, url, handler });
  }
  await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send({ http: bare.address().port, web: app.server.address().port });
}
