/**
 * The address; undefined for text that is none. `URL.canParse` of Node 20 refuses addresses with letters such as ü once it was called
 * some thousand times, when it is compiled.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
