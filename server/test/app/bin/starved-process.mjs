// For the tests of supervision: a process that stands still after each step of its start, as one that gets no CPU, until SIGCONT.
process.once('disconnect', () => process.exit(1));
process.on('message', ({ type }) => {
  if (type === 'stop') process.exit(0);
});
for (const step of ['load its code', 'read the database', 'listen']) {
  await new Promise((resolve) => process.send({ type: 'step', step }, resolve));
  process.kill(process.pid, 'SIGSTOP');
}
process.send({ type: 'listening', port: 1234 });
