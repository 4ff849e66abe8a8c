/**
 * The address; undefined for text that is none. `URL.canParse` of Node 20 refuses addresses with letters such as ü after some
 * thousand calls, when V8 has compiled it.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
