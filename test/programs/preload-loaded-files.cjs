// Loaded into a program before its own code: at its end the names of all files it loaded go to LOADED_FILES. The parts of
// the build are compiled through vm.Script (src/platform/chunks), the rest is in Node's own cache.
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

const chunks = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    chunks.push({ file: options.filename, fromCache: this.cachedDataRejected === false });
  }
};
process.on('exit', () => {
  const files = [...Object.keys(require.cache), ...chunks.map(({ file }) => file)];
  writeFileSync(process.env.LOADED_FILES, JSON.stringify(files));
  if (process.env.LOADED_CHUNKS) writeFileSync(process.env.LOADED_CHUNKS, JSON.stringify(chunks));
});
