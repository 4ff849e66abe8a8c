import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promtoolTests, RULES_FILE } from '../fixtures/alert-rules.js';
import { programPath } from '../harness/programs.mjs';
import { testFolder } from '../harness/test-folder.js';

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(programPath('promtool') as string, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('The alert rules of the chart monitoring', () => {
  it('are valid for Prometheus', () => {
    expect(promtool('check', 'rules', RULES_FILE)).toEqual({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  });

  it('fire for bad metrics of the platform while another service has good ones of the same names, and do not fire the other way round', () => {
    const folder = testFolder('promtool');
    const file = join(folder, 'tests.json'); // JSON is YAML
    writeFileSync(file, JSON.stringify(promtoolTests(resolve(RULES_FILE))));
    const result = promtool('test', 'rules', file);
    rmSync(folder, { recursive: true, force: true });
    expect(result).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') });
  });
});
