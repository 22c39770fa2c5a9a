// Runs before the two commands, without dependencies, on any Node: says what to do when this one is too old.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `baton needs Node 20.19 or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer one (https://nodejs.org, or your version manager: "nvm install 22"), then run the same command again.',
  );
  process.exit(1);
}
