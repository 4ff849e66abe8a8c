// Checks docs/openapi.json with Redocly's strict rules, including examples.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const FILE = 'docs/openapi.json';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-summary': 'error',
    // responses are composed with allOf, so each part must permit the fields of the other parts
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': { severity: 'error', allowAdditionalProperties: true },
  },
});
const problems = await lintFromString({
  source: readFileSync(FILE, 'utf8'),
  absoluteRef: resolve(FILE),
  config,
});
for (const { severity, ruleId, message, location } of problems) {
  process.stdout.write(`${severity} ${ruleId}: ${message} at ${location[0]?.pointer ?? FILE}\n`);
}
process.exit(problems.length > 0 ? 1 : 0);
