import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';

/** The interface that all provider packages implement, taken from one of them (their own package of it is no direct
 * dependency). */
export type SdkModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
export type SdkCall = Parameters<SdkModel['doStream']>[0];
export type SdkPrompt = SdkCall['prompt'];
export type SdkMessage = SdkPrompt[number];
export type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never;
export type SdkUsage = Extract<SdkPart, { type: 'finish' }>['usage'];
export type SdkOptions = NonNullable<SdkCall['providerOptions']>;
export type SdkContent<Role extends SdkMessage['role']> = Extract<
  SdkMessage,
  { role: Role }
>['content'][number];
export type SdkJson = SdkOptions[string][string];
