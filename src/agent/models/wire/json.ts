import type { SdkJson, SdkOptions } from './sdk.ts';

function isJson(value: unknown): value is SdkJson {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isJson);
  return (
    typeof value === 'object' && Object.values(value).every((field) => field === undefined || isJson(field))
  );
}

/** What a provider package attached to a part of its reply, as it wants it back; undefined when it is not that. */
export function asProviderOptions(value: Record<string, unknown> | undefined): SdkOptions | undefined {
  if (value === undefined) return undefined;
  const options: SdkOptions = {};
  for (const [provider, fields] of Object.entries(value)) {
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) continue;
    const kept: SdkOptions[string] = {};
    for (const [name, field] of Object.entries(fields)) if (isJson(field)) kept[name] = field;
    options[provider] = kept;
  }
  return options;
}
