/** What a tool answers to an empty prompt, before anything is started. */
export const BLANK_PROMPT_TEXTS = {
  'gemini-ask':
    "Please provide a prompt for analysis. Use @ syntax to include files (e.g., '@largefile.js explain what this does') or ask general questions",
  'gemini-plan': 'Please provide a task or goal to plan.',
  'gemini-brainstorm': 'You must provide a valid brainstorming challenge or question to explore',
  'gemini-image': 'Please provide a prompt describing the image you want to generate.',
} as const;
