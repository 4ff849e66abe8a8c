// A minimal HTTP client, so that the server dominates the measurement: sequential requests over one keep-alive connection.
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';

export async function openCaller(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let buffer = '';
  let waiting;
  socket.setEncoding('latin1'); // one character per byte, since Content-Length counts bytes
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the connection was closed')));
  socket.on('data', (piece) => {
    buffer += piece;
    const head = buffer.indexOf(HEAD_END);
    if (head < 0) return;
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(buffer.slice(0, head)) ?? [];
    const end = head + HEAD_END.length + Number(length);
    if (buffer.length < end) return;
    const answer = { status: Number(buffer.slice(9, 12)), body: buffer.slice(head + HEAD_END.length, end) };
    buffer = buffer.slice(end);
    waiting.resolve(answer);
  });

  /** Sends an object as JSON, or a text as it is. Returns the response body; throws for another status. */
  async function call(method, path, { headers = {}, body, status = 200 } = {}) {
    if (socket.destroyed) throw new Error('the connection was closed'); // a write to it would never end
    const text = textOf(body);
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: bench',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(text ? ['Content-Type: application/json', `Content-Length: ${text.length}`] : []),
    ];
    const answered = new Promise((resolve, reject) => {
      waiting = { resolve, reject };
    });
    socket.write(`${lines.join('\r\n')}${HEAD_END}${text}`);
    const answer = await answered;
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.body;
  }

  return { call, isOpen: () => !socket.destroyed, close: () => socket.destroy() };
}

function textOf(body) {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}
