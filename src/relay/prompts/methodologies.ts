export const METHODOLOGIES = [
  'divergent',
  'convergent',
  'scamper',
  'design-thinking',
  'lateral',
  'auto',
] as const;
type Methodology = (typeof METHODOLOGIES)[number];

function isMethodology(value: unknown): value is Methodology {
  return METHODOLOGIES.some((name) => name === value);
}

const blocks: Record<Methodology, (domain: string | undefined) => string> = {
  divergent: () => `Method: divergent thinking
- Go for number first: judge nothing while ideas are still coming.
- Let in the wild and the impractical; a bad idea may lead to a good one.
- Join things that have nothing to do with each other.
- Build on what is there with "yes, and", never with "but".
- Only when the list is full, look at what each idea is worth.`,
  convergent: () => `Method: convergent thinking
- Start from the obvious candidates, sharpen them, and merge those that belong together.
- Name the criteria by which you choose, and hold every idea against them.
- Rank by how feasible an idea is and by how much it changes.
- For the best ones, say by which steps they become real.`,
  scamper:
    () => `Method: SCAMPER. Put each of these questions to the challenge, and draw ideas from every one:
- Substitute: which part, material, rule or person could be replaced?
- Combine: what could be joined with what, and what would become possible?
- Adapt: what solves a similar problem elsewhere and could be fitted to this one?
- Modify: what could be made larger, smaller, faster, or of another shape?
- Put to another use: who else could use it, or what else could it be for?
- Eliminate: what could be left out, and what would that set free?
- Reverse: what happens if order, roles or direction are turned round?`,
  'design-thinking': () => `Method: design thinking
- Empathise: who is affected, what do they do, feel and put up with today?
- Define: say in one sentence the need that is really behind the challenge.
- Ideate: look for answers to that need, not to its symptoms.
- Follow a person through the whole journey with each idea, and see where it breaks.
- Shape each idea so that it could be tried with real people in a short time.`,
  lateral: () => `Method: lateral thinking
- Borrow from fields that have nothing to do with this one.
- List what everybody takes for granted here, and drop one assumption at a time.
- Take random words and force a link from each to the challenge.
- Look for metaphors: what is this like, and what does that suggest?
- Turn the challenge round: how would one achieve the opposite, and what does that teach?`,
  auto: (domain) => `Method: a blend that suits the challenge${domain ? ` and the domain ${domain}` : ''}
- Begin wide, without judging, and keep the unexpected.
- Where ideas run dry, use the questions of SCAMPER and leaps from other fields.
- Keep in view the people who will live with the result.
- End by keeping what is strongest.`,
};

/** The instructions of a method; an unknown one is `auto`. */
export function methodologyBlock(methodology: unknown, domain?: string): string {
  return blocks[isMethodology(methodology) ? methodology : 'auto'](domain?.trim() || undefined);
}
