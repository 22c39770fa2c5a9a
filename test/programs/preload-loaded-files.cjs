// Loaded into a program before its own code: at its end the names of all files it loaded go to LOADED_FILES.
const { writeFileSync } = require('node:fs');
process.on('exit', () => writeFileSync(process.env.LOADED_FILES, JSON.stringify(Object.keys(require.cache))));
