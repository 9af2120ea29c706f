// For the tests of supervision: a process that beats as those of the service do, and does what it is told.
setInterval(() => process.send({ type: 'heartbeat', isInspected: false }), 100);
process.on('message', ({ type, id }) => {
  if (type === 'question') process.send({ type: 'response', id, response: [{ name: `of ${process.pid}` }] });
  if (type === 'hang') standStill();
  if (type === 'end' || type === 'stop') process.exit(0);
  // Turns of 400 ms, one after the other.
  if (type === 'work') setInterval(() => standStill(400), 1);
});
process.once('disconnect', () => process.exit(1));
process.send({ type: 'listening', port: 1234 });

/** The event loop waits as it does for work that goes on and on, without the CPU of that. */
function standStill(ms = Infinity) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
