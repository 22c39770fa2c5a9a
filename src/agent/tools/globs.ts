import { ToolInputError } from './types.ts';

export type PathTest = (name: string, relative: string) => boolean;

/**
 * A test for glob patterns. A pattern without a slash is compared with the name alone, one with a slash with the path
 * below the folder that is searched, `**` before it taken as given.
 * @throws {ToolInputError} for a pattern that is no glob.
 */
export async function createGlobTest(patterns: readonly string[]): Promise<PathTest> {
  const { default: picomatch } = await import('picomatch');
  const tests = patterns.map((pattern): PathTest => {
    if (pattern.length > 2_000)
      throw new ToolInputError(`the pattern is too long (${pattern.length} characters)`);
    try {
      if (!pattern.includes('/')) {
        const matches = picomatch(pattern, { dot: true });
        return (name) => matches(name);
      }
      const rooted = pattern.replace(/^\.?\//, '');
      const matches = picomatch([rooted, `**/${rooted}`], { dot: true });
      return (_, relative) => matches(relative);
    } catch (error) {
      throw new ToolInputError(`${JSON.stringify(pattern)} is no glob pattern: ${String(error)}`);
    }
  });
  return (name, relative) => tests.some((test) => test(name, relative));
}
