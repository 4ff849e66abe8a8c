// WebSocket connections to the live delivery of an API process.
import { WebSocket } from 'ws';

const MAX_OPENING = 50; // connections that are opened at the same time

/** Opens a connection and resolves after its first message. `onEvent` receives later messages. */
export function openSocket(url, token, onEvent = () => undefined) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live`, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    socket.once('error', reject);
    socket.once('message', () => {
      socket.on('message', onEvent);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** Opens `count` connections, `perUser` of each user. */
export async function openSockets(url, users, count, perUser) {
  const sockets = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(MAX_OPENING, count - sockets.length) }, (_, index) => {
      const user = users[Math.floor((sockets.length + index) / perUser) % users.length];
      return openSocket(url, user.token);
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

export async function closeSockets(sockets) {
  await Promise.all(
    sockets.map((socket) => {
      if (socket.readyState === WebSocket.CLOSED) return undefined;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.terminate();
      return closed;
    }),
  );
}
