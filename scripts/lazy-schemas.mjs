// Makes the zod schemas of a package lazy: a schema is built when something first asks it for anything.
//
// The MCP library builds some 400 schemas at its start and at its first message; a server that says hello needs ten of
// them. (Half of the time to the reply to `initialize` went there.)
import { parseSync } from 'oxc-parser';

const SCHEMA_NAME = /Schema(\$\d+)?$/;

/**
 * Stands for a schema that is built on first use: everything asked of it is asked of the real one. It holds what zod
 * needs of a schema (`_zod`, its methods, `instanceof`, which zod decides by `_zod`).
 */
export const LAZY_SCHEMA = `
const lazySchemaHandler = {
  get: (target, key) => Reflect.get(target.schema, key),
  set: (target, key, value) => Reflect.set(target.schema, key, value),
  has: (target, key) => Reflect.has(target.schema, key),
  getPrototypeOf: (target) => Reflect.getPrototypeOf(target.schema),
  ownKeys: (target) => Reflect.ownKeys(target.schema),
  getOwnPropertyDescriptor: (target, key) => {
    const found = Reflect.getOwnPropertyDescriptor(target.schema, key);
    // A property that the stand-in itself does not have may only be shown as one that could go.
    return found && { ...found, configurable: true };
  },
};
class LazySchema {
  #build;
  #schema;
  constructor(build) { this.#build = build; }
  get schema() { return (this.#schema ??= this.#build()); }
}
const lazySchema = (build) => new Proxy(new LazySchema(build), lazySchemaHandler);
`;

/** Declarations of constants whose names say that they are schemas, at any depth. */
function findSchemas(node, found) {
  if (Array.isArray(node)) {
    for (const item of node) findSchemas(item, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'VariableDeclaration' && node.kind === 'const') {
    for (const { id, init } of node.declarations) {
      if (id.type === 'Identifier' && SCHEMA_NAME.test(id.name) && init?.type === 'CallExpression')
        found.push(init);
    }
  }
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') findSchemas(value, found);
}

/** Whether an expression only builds: `z.…(…)`, or a method of another schema. */
function builds(text) {
  return /^(?:\/\*.*?\*\/\s*)?(?:z\.|\w+Schema(?:\$\d+)?\s*\.)/.test(text);
}

/**
 * @param {string} file for messages
 * @param {string} text an ES module that imports zod as `z`
 * @returns {string} the same with lazy schemas
 */
export function makeSchemasLazy(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  findSchemas(program.body, found);
  const outermost = found
    .filter(({ start, end }) => builds(text.slice(start, end)))
    .filter((one, _index, all) => !all.some((other) => other.start < one.start && one.end < other.end))
    .sort((a, b) => b.start - a.start);
  if (outermost.length === 0) return text;
  let lazy = text;
  for (const { start, end } of outermost)
    lazy = `${lazy.slice(0, start)}lazySchema(() => ${lazy.slice(start, end)})${lazy.slice(end)}`;
  return `${LAZY_SCHEMA}\n${lazy}`;
}
