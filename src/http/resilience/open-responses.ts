import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The responses of each connection that are not closed yet. Lists instead of Sets: V8 links the outgrown table of a Set to the
 * next one, so a Set that every request enters and leaves keeps finished requests in memory until a full garbage collection.
 */
const openResponses = new WeakMap<Duplex, ServerResponse[]>();

/** Tracks the responses of a server; called once per server. Its listener precedes those that answer synchronously. */
export function trackOpenResponses(server: Server): void {
  server.prependListener('request', ({ socket }, response) => {
    const open = openResponses.get(socket) ?? startTracking(socket);
    open.push(response);
    response.once('close', () => open.splice(open.indexOf(response), 1));
  });
}

/**
 * When a connection closes, Node emits `close` on the first pipelined response only; without the event the other responses
 * would never release their slots (`LoadShedder`).
 */
function startTracking(socket: Duplex): ServerResponse[] {
  const open: ServerResponse[] = [];
  openResponses.set(socket, open);
  const closeAll = () => {
    for (const response of [...open]) response.destroy().emit('close');
  };
  socket.once('close', () => setImmediate(closeAll)); // by then Node has closed the first response
  return open;
}

/** The open responses of a connection in the order of their requests. The list changes when one of them is closed. */
export function openResponsesOf(socket: Duplex): readonly ServerResponse[] {
  return openResponses.get(socket) ?? [];
}
