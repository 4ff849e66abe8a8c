// A minimal HTTP client, so that the server dominates the measurement: one request at a time over a keep-alive connection.
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const STATUS_START = 'HTTP/1.1 '.length;

export async function openCaller(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let buffer = '';
  let waiting; // `{resolve, reject}` of the request that is not answered yet
  const settle = (outcome, value) => {
    const request = waiting;
    waiting = undefined;
    request?.[outcome](value);
  };
  socket.setEncoding('latin1'); // one character per byte, since Content-Length counts bytes
  socket.on('error', (error) => settle('reject', error));
  socket.on('close', () => settle('reject', new Error('the connection was closed')));
  socket.on('data', (piece) => {
    buffer += piece;
    const headLength = buffer.indexOf(HEAD_END);
    if (headLength < 0) return;
    const head = buffer.slice(0, headLength);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      socket.destroy(new Error(`the response has no Content-Length: ${head}`));
      return;
    }
    const bodyStart = headLength + HEAD_END.length;
    const end = bodyStart + Number(length);
    if (buffer.length < end) return;
    const status = Number(head.slice(STATUS_START, STATUS_START + 3));
    const body = buffer.slice(bodyStart, end);
    buffer = buffer.slice(end);
    settle('resolve', { status, body });
  });

  /**
   * Sends a request; a `body` that is a string unchanged, another one as JSON. Returns the response body, one character per
   * byte. Throws if the response has another status than `status`, and while an earlier call waits for its response.
   */
  async function call(method, path, { headers = {}, body, status = 200 } = {}) {
    if (socket.destroyed) throw new Error('the connection was closed'); // after 'close' no event would reject the promise
    if (waiting) throw new Error('the connection is waiting for the response to an earlier call');
    const text = textOf(body);
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: bench',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(text ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`] : []),
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
