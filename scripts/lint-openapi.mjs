// Checks the OpenAPI and AsyncAPI documents with Redocly's strict rules, including examples.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const FILES = [
  'docs/openapi.json',
  'docs/asyncapi.json',
  ...['deposit', 'custody', 'screening'].map((provider) => `docs/providers/${provider}.json`),
];
/** The responses of the WebSocket route have no 2xx status, because a successful upgrade is answered with 101. */
const WEBSOCKET_RESPONSES = '#/paths/~1api~1live/get/responses';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-summary': 'error',
    'no-server-example.com': 'off', // the sandbox is one of the servers
    // responses are composed with allOf, so each part must permit the fields of the other parts
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': { severity: 'error', allowAdditionalProperties: true },
  },
});
for (const file of FILES) {
  const problems = await lintFromString({
    source: readFileSync(file, 'utf8'),
    absoluteRef: resolve(file),
    config,
  });
  for (const { severity, ruleId, message, location } of problems) {
    if (ruleId === 'operation-2xx-response' && location[0]?.pointer === WEBSOCKET_RESPONSES) continue;
    process.stdout.write(`${severity} ${ruleId}: ${message} at ${file}${location[0]?.pointer ?? ''}\n`);
    process.exitCode = 1;
  }
}
