import cluster from 'node:cluster';
import { get } from 'node:http';
import { fastify } from 'fastify';
import { sharedPort } from '../../../dist/app/bin/shared-port.js';
import { refuseTakenPort } from '../../../dist/app/bin/taken-port.js';

/**
 * A primary with two workers that listen on one port (PORT). Prints how many connections each of them served, and what a
 * second service that wants the same port is told.
 */

const HOST = '127.0.0.1';
const CONNECTIONS = 200;

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  const ports = await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))),
  );
  const served = {};
  for (let n = 0; n < CONNECTIONS; n++) {
    const pid = await bodyFrom(ports[0]);
    served[pid] = (served[pid] ?? 0) + 1;
  }
  const refusal = await refuseTakenPort(HOST, ports[0], 'SAVEPOINT_PORT').then(
    () => 'none',
    ({ message }) => message,
  );
  process.stdout.write(JSON.stringify({ ports, served: Object.values(served), refusal }));
  for (const worker of workers) worker.kill();
} else {
  const app = fastify();
  app.get('/', async () => String(process.pid));
  await app.listen(sharedPort(HOST, Number(process.env.PORT)));
  process.send(app.server.address().port);
}

/** On a connection of its own. */
function bodyFrom(port) {
  return new Promise((resolve, reject) => {
    get({ port, host: HOST, agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve);
    }).once('error', reject);
  });
}
