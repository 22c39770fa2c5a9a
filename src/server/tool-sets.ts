/** The groups of tools that a server can be started with. */
export const TOOL_SETS = ['jobs', 'relay'] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

function isToolSet(name: string): name is ToolSet {
  return TOOL_SETS.some((set) => set === name);
}

/**
 * Reads `--tools jobs,relay`; undefined = all.
 * @throws {Error} naming the set that is none.
 */
export function parseToolSets(value: string | undefined): readonly ToolSet[] {
  if (value === undefined) return TOOL_SETS;
  const names = value
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const wrong = names.find((name) => !isToolSet(name));
  if (wrong !== undefined || names.length === 0) {
    throw new Error(`--tools ${JSON.stringify(value)}: want ${TOOL_SETS.join(', ')}, or both with a comma`);
  }
  return TOOL_SETS.filter((set) => names.includes(set));
}
