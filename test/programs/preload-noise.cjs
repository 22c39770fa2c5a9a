// Loaded into a server before its own code: prints to stdout, as a careless dependency would, when told by a signal.
process.on('SIGUSR2', () => {
  console.log('noise from console.log');
  console.info('noise from console.info');
  process.stdout.write('noise from stdout.write\n');
  process.stderr.write('noise made\n');
});
