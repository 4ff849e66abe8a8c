import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { NpmProject } from '../fixtures/npm-projects.js';

interface Finding {
  readonly severity: number;
  readonly code: string;
}
const ERROR = 0;

/** `npm run check` lints the document with Redocly's rules. */
it("docs/openapi.json has no error by Spectral's rules for OpenAPI", async () => {
  const project = new NpmProject();
  try {
    project.write({ 'package.json': { private: true }, '.spectral.json': { extends: ['spectral:oas'] } });
    copyFileSync('docs/openapi.json', join(project.folder, 'openapi.json'));
    await project.install('@stoplight/spectral-cli@6.16.3');

    const report = await project.run(
      'node_modules/.bin/spectral',
      'lint',
      '--format',
      'json',
      'openapi.json',
    );

    const findings = JSON.parse(report) as Finding[];
    expect(findings.filter(({ severity }) => severity === ERROR)).toEqual([]);
    expect(findings.map(({ code }) => code)).toContain('operation-description'); // a warning: the rules were applied
  } finally {
    project.remove();
  }
});
