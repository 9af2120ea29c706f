import cluster from 'node:cluster';
import { Agent, createServer, get } from 'node:http';
import { addListeners, returnListeners } from '../../dist/bin/listeners.js';

/**
 * A primary with a worker that dies before it has all of its listeners, and a second worker on the same port, which connects to itself. Prints how
 * many requests of the second one succeeded, and whether it accepted several connections in one turn of the event loop.
 */

const CLIENTS = 64;

if (cluster.isPrimary) {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const dying = cluster.fork({ LIFE: 'short' });
  returnListeners(dying);
  dying.once('listening', ({ port }) => {
    dying.once('exit', () => returnListeners(cluster.fork({ LIFE: 'long', PORT: port })));
  });
} else {
  const server = createServer((_request, response) => response.end('ok'));
  let inThisTurn = 0;
  let mostInTurn = 0;
  server.on('connection', () => {
    inThisTurn++;
    mostInTurn = Math.max(mostInTurn, inThisTurn);
    setImmediate(() => {
      inThisTurn = 0;
    });
  });
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', async () => {
    const closeListeners = addListeners(server);
    await new Promise((resolve) => process.once('message', resolve));
    if (process.env.LIFE === 'short') process.kill(process.pid, 'SIGKILL');
    const agent = new Agent({ keepAlive: true });
    const statuses = await Promise.all(Array.from({ length: CLIENTS }, () => statusOf(server, agent)));
    agent.destroy();
    await Promise.all([closeListeners(), new Promise((resolve) => server.close(resolve))]);
    const responses = statuses.filter((status) => status === 200).length;
    process.stdout.write(JSON.stringify({ responses, isSeveralPerTurn: mostInTurn > 1 }));
    process.disconnect();
  });
}

function statusOf(server, agent) {
  return new Promise((resolve, reject) => {
    get({ port: server.address().port, host: '127.0.0.1', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}
