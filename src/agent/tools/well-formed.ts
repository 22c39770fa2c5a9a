/** The text with halves of characters, as cutting leaves them, replaced: providers refuse those. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
