import { KEY_VARIABLES } from '../../contract/provider-keys.ts';
import type { Environment } from './environment.ts';
import { parseUrl } from './transport/url.ts';
import { ModelError } from './types.ts';
import type { Party } from './wire/failure.ts';

/** The wire a provider speaks: which package reaches it. */
export type Wire = 'chat' | 'responses' | 'google' | 'anthropic';

export interface Provider {
  /** The part of a model's name before the slash. */
  readonly id: string;
  readonly label: string;
  readonly wire: Wire;
  /** Variables that hold the key, the first one that is set counts. None for local servers. */
  readonly keyVariables: readonly string[];
  readonly addressVariables: readonly string[];
  /** The base address with its version path, as the provider's own clients have it. */
  readonly address: string;
  /** The path that the address of this provider must end in, added to a bare host in a variable. */
  readonly path?: string;
  /** What is asked when only this provider's key is set. As of 2026-11. */
  readonly defaultModel?: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** Serves on this machine, without a key, on the port of `address`. */
  readonly isLocal?: boolean;
  /** Sends usage in every stream without being asked, and refuses unknown fields. */
  readonly isStrict?: boolean;
  /** Needs the text of its own reasoning back within a turn. */
  readonly wantsReasoning?: boolean;
}

export const PROVIDERS: readonly Provider[] = [
  {
    id: 'openai',
    label: 'OpenAI',
    wire: 'responses',
    keyVariables: KEY_VARIABLES.openai,
    addressVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    address: 'https://api.openai.com/v1',
    defaultModel: 'gpt-6.1-sol',
  },
  {
    id: 'google',
    label: 'Google',
    wire: 'google',
    keyVariables: KEY_VARIABLES.google,
    addressVariables: ['GOOGLE_GEMINI_BASE_URL'],
    address: 'https://generativelanguage.googleapis.com/v1beta',
    path: '/v1beta',
    defaultModel: 'gemini-3.8-flash',
    aliases: ['gemini'],
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    wire: 'anthropic',
    keyVariables: KEY_VARIABLES.anthropic,
    addressVariables: ['ANTHROPIC_BASE_URL'],
    address: 'https://api.anthropic.com/v1',
    path: '/v1',
    defaultModel: 'claude-sonnet-5-5',
    aliases: ['claude'],
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    wire: 'chat',
    keyVariables: KEY_VARIABLES.openrouter,
    addressVariables: ['OPENROUTER_BASE_URL'],
    address: 'https://openrouter.ai/api/v1',
    defaultModel: 'openrouter/auto',
  },
  {
    id: 'groq',
    label: 'Groq',
    wire: 'chat',
    keyVariables: KEY_VARIABLES.groq,
    addressVariables: ['GROQ_BASE_URL'],
    address: 'https://api.groq.com/openai/v1',
    defaultModel: 'openai/gpt-oss-120b',
  },
  {
    id: 'mistral',
    label: 'Mistral',
    wire: 'chat',
    keyVariables: KEY_VARIABLES.mistral,
    addressVariables: ['MISTRAL_BASE_URL'],
    address: 'https://api.mistral.ai/v1',
    defaultModel: 'mistral-large-latest',
    isStrict: true,
  },
  {
    id: 'deepseek',
    label: 'DeepSeek',
    wire: 'chat',
    keyVariables: KEY_VARIABLES.deepseek,
    addressVariables: ['DEEPSEEK_BASE_URL'],
    address: 'https://api.deepseek.com/v1',
    defaultModel: 'deepseek-flash',
    wantsReasoning: true,
  },
  {
    id: 'xai',
    label: 'xAI',
    wire: 'chat',
    keyVariables: KEY_VARIABLES.xai,
    addressVariables: ['XAI_BASE_URL'],
    address: 'https://api.x.ai/v1',
    defaultModel: 'grok-4.5',
    aliases: ['grok'],
  },
  {
    id: 'ollama',
    label: 'Ollama',
    wire: 'chat',
    keyVariables: [],
    addressVariables: ['OLLAMA_HOST'],
    address: 'http://127.0.0.1:11434/v1',
    path: '/v1',
    isLocal: true,
    wantsReasoning: true,
  },
  {
    id: 'lmstudio',
    label: 'LM Studio',
    wire: 'chat',
    keyVariables: [],
    addressVariables: ['LMSTUDIO_BASE_URL'],
    address: 'http://127.0.0.1:1234/v1',
    path: '/v1',
    isLocal: true,
    wantsReasoning: true,
  },
  {
    id: 'llamacpp',
    label: 'llama.cpp',
    wire: 'chat',
    keyVariables: [],
    addressVariables: ['LLAMACPP_BASE_URL'],
    address: 'http://127.0.0.1:8080/v1',
    path: '/v1',
    aliases: ['llama.cpp'],
    isLocal: true,
    wantsReasoning: true,
  },
];

/** The provider of that name, aliases and any case included. */
export function findProvider(name: string): Provider | undefined {
  const wanted = name.toLowerCase();
  return PROVIDERS.find((provider) => provider.id === wanted || provider.aliases?.includes(wanted));
}

/** A provider as this run's environment sets it up. */
export interface Endpoint {
  readonly provider: Provider;
  readonly wire: Wire;
  /** Base address without a slash at the end. */
  readonly address: string;
  /** The variable that the address came from; none when it is the provider's own. */
  readonly addressVariable: string | undefined;
  readonly key: string | undefined;
  readonly keyVariable: string | undefined;
}

function firstSet(environment: Environment, names: readonly string[]): string | undefined {
  return names.find((name) => (environment[name] ?? '').trim() !== '');
}

/** `OLLAMA_HOST` and its like may be a bare host, a port alone, and name the address a server listens on (0.0.0.0). */
function completeAddress(value: string, provider: Provider, variable: string): string {
  const own = new URL(provider.address);
  let text = value.trim();
  if (/^:?\d+$/.test(text)) text = `${own.hostname}:${text.replace(':', '')}`;
  const hasScheme = /^https?:\/\//i.test(text);
  if (!hasScheme) text = `${provider.isLocal ? 'http' : 'https'}://${text}`;
  const url = parseUrl(text);
  if (!url) {
    throw new ModelError(
      'invalid_request',
      `${variable}=${JSON.stringify(value)} is no address; give one like ${provider.address}`,
    );
  }
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (provider.isLocal && !hasScheme && url.port === '') url.port = own.port;
  if (provider.path !== undefined && (url.pathname === '/' || url.pathname === ''))
    url.pathname = provider.path;
  return url.href.replace(/\/+$/, '');
}

/**
 * Where and how a provider is reached. An own `OPENAI_BASE_URL` means a server that is compatible with the older Chat
 * Completions, which every such server speaks; `BATON_OPENAI_API=responses|chat` overrides that.
 * @throws {ModelError} `invalid_request` for an address that is none, never for a missing key (see {@link lacksKey}).
 */
export function endpointOf(provider: Provider, environment: Environment): Endpoint {
  const addressVariable = firstSet(environment, provider.addressVariables);
  const address = addressVariable
    ? completeAddress(environment[addressVariable] ?? '', provider, addressVariable)
    : provider.address;
  const keyVariable = firstSet(environment, provider.keyVariables);
  let { wire } = provider;
  if (provider.id === 'openai') {
    const chosen = environment.BATON_OPENAI_API;
    if (chosen !== undefined && chosen !== '' && chosen !== 'chat' && chosen !== 'responses') {
      throw new ModelError(
        'invalid_request',
        `BATON_OPENAI_API=${JSON.stringify(chosen)} is neither chat nor responses`,
      );
    }
    const isOfficial = new URL(address).hostname.endsWith('api.openai.com');
    wire = chosen === 'chat' || chosen === 'responses' ? chosen : isOfficial ? 'responses' : 'chat';
  }
  return {
    provider,
    wire,
    address,
    addressVariable,
    key: keyVariable ? environment[keyVariable]?.trim() : undefined,
    keyVariable,
  };
}

/** Whether the environment names this provider: by a key, or by an address of its own (a server without keys). */
export function isConfigured(provider: Provider, environment: Environment): boolean {
  return firstSet(environment, [...provider.keyVariables, ...provider.addressVariables]) !== undefined;
}

/** True when the endpoint cannot be asked without a key: the provider's own address, and none is set. */
export function lacksKey(endpoint: Endpoint): boolean {
  return !endpoint.key && !endpoint.provider.isLocal && endpoint.addressVariable === undefined;
}

/** Whom the failures of a model on that endpoint are about. */
export function partyOf(endpoint: Endpoint, model: string): Party {
  const { provider } = endpoint;
  return {
    id: `${provider.id}/${model}`,
    providerLabel: provider.label,
    address: endpoint.address,
    keyVariable: endpoint.keyVariable ?? provider.keyVariables[0],
    addressVariable: endpoint.addressVariable ?? provider.addressVariables[0],
  };
}
