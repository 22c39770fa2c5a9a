import { ASPECT_RATIOS, IMAGE_SIZES } from '../../relay/prompts/image.ts';
import type { ToolDefinition } from '../tool.ts';
import { BACKEND } from './properties.ts';
import { relayTool } from './relay-tool.ts';
import { type RelayHouse, runRelayTool, startRelayTask } from './run-tool.ts';

export function geminiImage(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-image',
    title: 'Make an image with Gemini',
    description:
      'Make one picture from a description. The reply carries the picture and its path; outputPath copies it into the project. No picture is an error.',
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    properties: {
      prompt: { type: 'string', description: 'Subject, surroundings, light, style, colours.' },
      aspectRatio: { type: 'string', enum: ASPECT_RATIOS, description: 'Default 1:1.' },
      size: { type: 'string', enum: IMAGE_SIZES, description: 'Leave out to let Gemini choose.' },
      outputPath: {
        type: 'string',
        description:
          'Where to copy it, from the project root, such as assets/hero.png. Outside it is refused.',
      },
      backend: BACKEND,
    },
    required: ['prompt'],
    meta: { 'anthropic/searchHint': 'generate image, picture, illustration' },
    run: (args, call) => runRelayTool(house, 'gemini-image', args, call),
    startTask: (args, call) => startRelayTask(house, 'gemini-image', args, call),
  });
}
