// For the tests of supervision: a process that is silent after each step of its start, as one that gets no CPU, until it is told to go on.
let goOn = () => {};
process.once('disconnect', () => process.exit(1));
process.on('message', ({ type }) => {
  if (type === 'stop') process.exit(0);
  if (type === 'go on') goOn();
});
for (const step of ['load its code', 'read the database', 'listen']) {
  // Before the step is told: the order to go on may follow at once.
  const told = new Promise((resolve) => {
    goOn = resolve;
  });
  process.send({ type: 'step', step });
  await told;
}
process.send({ type: 'listening', port: 1234 });
