/** A received e-mail, decoded for a reader. */
export interface ReadableMail {
  /** By name in lower case; of headers with the same name the last one. */
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly html: string;
}

/** Decodes the headers, plain text and HTML of a mail with one part or with alternative parts. Lines end with \n. */
export function readMail(source: string): ReadableMail {
  const { headers, body } = splitHeaders(source);
  const [, boundary] = /boundary="?([^";]+)"?/i.exec(headers['content-type'] ?? '') ?? [];
  const parts = boundary === undefined ? [{ headers, body }] : partsOf(body, boundary).map(splitHeaders);
  const bodyOf = (type: string) => {
    const part = parts.find((candidate) =>
      (candidate.headers['content-type'] ?? '').toLowerCase().startsWith(type),
    );
    const encoding = part?.headers['content-transfer-encoding'] ?? '7bit';
    return part ? decodeBody(part.body, encoding).replaceAll('\r\n', '\n') : '';
  };
  const decoded = Object.entries(headers).map(([name, value]) => [name, decodeWords(value)]);
  return {
    headers: Object.fromEntries(decoded) as Record<string, string>,
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
  };
}

function splitHeaders(part: string): { headers: Record<string, string>; body: string } {
  const end = part.indexOf('\r\n\r\n');
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: part.slice(end + 4) };
}

function partsOf(body: string, boundary: string): string[] {
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^\r\n/, '').replace(/\r\n$/, ''));
}

function decodeBody(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  return /quoted-printable/i.test(encoding) ? decodeQuotedPrintable(body.replace(/=\r\n/g, '')) : body;
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decodes the encoded words of RFC 2047. White space between two of them is not part of the text. */
function decodeWords(value: string): string {
  return value
    .replace(/(\?=)\s+(=\?)/g, '$1$2')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    );
}
