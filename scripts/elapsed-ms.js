// What the bundles use for `performance.now()`: the same clock, which never goes back, in milliseconds.
export const elapsedMs = () => process.uptime() * 1000;
