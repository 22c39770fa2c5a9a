/**
 * A test must not see the keys, models or state folders of the person who runs it: everything that steers Baton or a
 * provider is removed from the environment before a test file is loaded.
 */
const steering =
  /^(BATON_|AGY_|GEMINI_|GOOGLE_|OPENAI_|ANTHROPIC_|OLLAMA_|XDG_|CLAUDE|NODE_EXTRA_CA_CERTS$|https?_proxy$|no_proxy$)/i;
const kept = new Set(['BATON_SKIP_BUILD']);
for (const name of Object.keys(process.env)) {
  if (steering.test(name) && !kept.has(name)) delete process.env[name];
}
