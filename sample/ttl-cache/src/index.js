export { createCache } from './cache.js';
export { parseDuration } from './duration.js';
