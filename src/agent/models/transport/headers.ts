/**
 * The part of the web's `Headers` that the provider packages use. On Node 20 the mere name of the built-in one loads
 * undici (58 ms, 12 MB), so the bundles put this one in its place (scripts/esbuild-plugins.mjs).
 */
export class LightHeaders implements globalThis.Headers {
  readonly #values = new Map<string, string>();

  constructor(init: Iterable<readonly [string, string]> | Record<string, string> = {}) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init))
      this.append(name, value);
  }

  append(name: string, value: string): void {
    const present = this.get(name);
    this.set(name, present === null ? value : `${present}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  getSetCookie(): string[] {
    const value = this.get('set-cookie');
    return value === null ? [] : [value];
  }

  forEach(visit: (value: string, key: string, iterable: globalThis.Headers) => void): void {
    for (const [name, value] of this.#values) visit(value, name, this);
  }

  keys(): MapIterator<string> {
    return this.#values.keys();
  }

  values(): MapIterator<string> {
    return this.#values.values();
  }

  entries(): MapIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.#values.entries();
  }
}
