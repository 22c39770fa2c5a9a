import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Zod from 'zod/v4';

interface Sample {
  built: string[];
  PersonSchema: Zod.ZodType;
  TeamSchema: Zod.ZodType;
  WorkerSchema: Zod.ZodType;
  ShapeSchema: Zod.ZodType;
  TreeSchema: Zod.ZodType;
  makeSchemas(): { InnerSchema: Zod.ZodType };
  settings: { name: string };
}

const SOURCE = `
import { z as realZ } from 'zod/v4';
export const built = [];
const z = new Proxy(realZ, { get: (target, key) => (...args) => { built.push(key); return target[key](...args); } });
export const PersonSchema = z.object({ name: z.string(), age: z.number().int().optional() });
export const TeamSchema = z.object({ lead: PersonSchema, members: z.array(PersonSchema).default([]) });
export const WorkerSchema = PersonSchema.extend({ job: z.string() });
export const ShapeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('square'), side: z.number() }),
]);
export const TreeSchema = z.lazy(() => z.object({ children: z.array(TreeSchema) }));
export function makeSchemas() {
  const InnerSchema = z.union([PersonSchema, ShapeSchema]);
  return { InnerSchema };
}
const readSchema = () => ({ name: 'no schema' });
export const settings = readSchema();
`;

const SAMPLES: [keyof Sample, unknown][] = [
  ['PersonSchema', { name: 'A', age: 3, extra: true }],
  ['PersonSchema', { name: 1 }],
  ['PersonSchema', null],
  ['TeamSchema', { lead: { name: 'A' } }],
  ['TeamSchema', { lead: { name: 'A' }, members: [{ name: 'B', age: 1.5 }] }],
  ['WorkerSchema', { name: 'A', job: 'x' }],
  ['WorkerSchema', { name: 'A' }],
  ['ShapeSchema', { kind: 'square', side: 2 }],
  ['ShapeSchema', { kind: 'line' }],
  ['TreeSchema', { children: [{ children: [] }] }],
  ['TreeSchema', { children: [1] }],
];

let folder: string;
let eager: Sample;
let lazy: Sample;

beforeAll(async () => {
  // Beside the sources, so that zod is found.
  folder = mkdtempSync(fileURLToPath(new URL('./lazy-', import.meta.url)));
  const script = new URL('../../scripts/lazy-schemas.mjs', import.meta.url).href;
  const { makeSchemasLazy }: { makeSchemasLazy: (file: string, text: string) => string } = await import(
    script
  );
  const load = async (name: string, text: string): Promise<Sample> => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return (await import(pathToFileURL(path).href)) as Sample;
  };
  eager = await load('eager.mjs', SOURCE);
  lazy = await load('lazy.mjs', makeSchemasLazy('sample.mjs', SOURCE));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('lazy schemas', () => {
  it('build nothing until they are asked', () => {
    expect(eager.built.length).toBeGreaterThan(10);
    expect(lazy.built).toEqual([]);
    expect(lazy.settings).toEqual({ name: 'no schema' });
    lazy.PersonSchema.safeParse({});
    expect(lazy.built.sort()).toEqual(['number', 'object', 'string']);
  });

  it.each(SAMPLES)('judge as the eager ones do: %s, %j', (name, value) => {
    const judge = (sample: Sample): unknown => {
      const schema = sample[name] as Zod.ZodType;
      const { success, data, error } = schema.safeParse(value);
      return { success, data, issues: error?.issues };
    };
    expect(judge(lazy)).toEqual(judge(eager));
  });

  it('work in functions, through standard schema and as instances', async () => {
    const { InnerSchema } = lazy.makeSchemas();
    expect(InnerSchema.safeParse({ kind: 'circle', radius: 1 }).success).toBe(true);
    expect(await lazy.TeamSchema['~standard'].validate({ lead: { name: 'A' } })).toEqual({
      value: { lead: { name: 'A' }, members: [] },
    });
    const { ZodObject } = await import('zod/v4');
    expect(lazy.WorkerSchema instanceof ZodObject).toBe(true);
    expect('_zod' in lazy.WorkerSchema).toBe(true);
    expect(Object.keys(lazy.WorkerSchema)).toEqual(Object.keys(eager.WorkerSchema));
  });
});
