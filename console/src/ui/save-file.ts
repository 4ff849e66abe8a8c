/** Saves a text or bytes as a file of the browser's download folder. */
export function saveFile(name: string, content: BlobPart, type = 'text/plain;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
