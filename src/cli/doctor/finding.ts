/** One finding: how it stands, and what to do when it stands badly. */
export interface Finding {
  topic: string;
  /** `bad` = something that is configured cannot work. */
  state: 'good' | 'note' | 'bad';
  text: string;
}

export function finding(topic: string, state: Finding['state'], text: string): Finding {
  return { topic, state, text };
}
