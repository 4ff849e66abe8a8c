/** The body of an answer from elsewhere as text; undefined when it is longer than `mostBytes`: it is read no further. */
export async function boundedText(response: Response, mostBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > mostBytes) return undefined; // leaving the loop cancels the rest
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
