// A JSON-RPC node that knows no transaction: every call is answered with null.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Starts the node on a free port. */
export async function startEmptyChain() {
  const server = createServer(async (request, response) => {
    const { id } = JSON.parse(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: null }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
