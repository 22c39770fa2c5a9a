/** The tools that start a run; the kind of their jobs. */
export const RELAY_RUN_TOOLS = ['gemini-ask', 'gemini-plan', 'gemini-image', 'gemini-brainstorm'] as const;
export type RelayRunTool = (typeof RELAY_RUN_TOOLS)[number];

export function isRelayRunTool(kind: string): kind is RelayRunTool {
  return RELAY_RUN_TOOLS.some((tool) => tool === kind);
}
