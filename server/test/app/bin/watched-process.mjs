// For the tests of supervision: a process that beats as those of the service do, and does what it is told.
setInterval(() => process.send({ type: 'heartbeat', isInspected: false }), 100);
process.on('message', ({ type, id }) => {
  if (type === 'question') process.send({ type: 'response', id, response: [{ name: `of ${process.pid}` }] });
  if (type === 'hang') for (;;);
  if (type === 'end' || type === 'stop') process.exit(0);
  // Turns of 400 ms, one after the other.
  if (type === 'work') setInterval(() => hold(400), 1);
});
process.once('disconnect', () => process.exit(1));
process.send({ type: 'listening', port: 1234 });

function hold(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}
