/** The address as a URL, or undefined when it is none. (`URL.parse` is missing on the oldest Node supported.) */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The address without user name and password, for messages. */
export function shownUrl(url: URL | string): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}
