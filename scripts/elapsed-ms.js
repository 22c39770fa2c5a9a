// What the bundles use for `performance.now()`: the same clock, which never goes back, in milliseconds.
// An odd name, so that no variable of the source hides it.
export const __batonElapsedMs = () => process.uptime() * 1000;
