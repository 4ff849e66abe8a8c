import express from 'express';
import { applyFaults } from './faults.js';
import type { Faults } from './faults.js';
import { serve } from './http-server.js';
import type { RunningServer } from './http-server.js';

const BODY_LIMIT = '5mb';

/**
 * A proxy for JSON-RPC between the platform and the node. The faults of the chain affect only the platform; the sandbox calls
 * the node directly, to pay and to mine blocks.
 */
export function startChainProxy(nodeUrl: string, faults: Faults, port: number): Promise<RunningServer> {
  const app = express().disable('x-powered-by');
  app.use(applyFaults(faults, 'chain'));
  app.post('/', express.text({ type: () => true, limit: BODY_LIMIT }), async (request, response) => {
    const headers = { 'content-type': 'application/json' };
    const body = typeof request.body === 'string' ? request.body : '';
    const answer = await fetch(nodeUrl, { method: 'POST', headers, body });
    response
      .status(answer.status)
      .type('json')
      .send(await answer.text());
  });
  return serve(app, port);
}
