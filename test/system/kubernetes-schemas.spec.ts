import { NpmProject } from '../fixtures/npm-projects.js';
import { readManifests } from '../fixtures/manifests.js';

const PACKAGES = [
  'kubernetes-models@5.1.0',
  '@kubernetes-models/prometheus-operator@6.0.0',
  '@kubernetes-models/external-secrets@2.0.0',
];
/** The npm registry has no schemas of CloudNativePG; test/contract/charts.spec.ts checks these resources. */
const WITHOUT_SCHEMA = ['Cluster', 'ObjectStore', 'ScheduledBackup'];
/** Reads manifests, and prints for each the faults of the schema of its kind. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
const folders = { 'monitoring.coreos.com': '@kubernetes-models/prometheus-operator', 'external-secrets.io': '@kubernetes-models/external-secrets' };
const results = [];
for (const manifest of JSON.parse(readFileSync('manifests.json', 'utf8'))) {
  const [group] = manifest.apiVersion.split('/');
  const name = \`\${folders[group] ?? 'kubernetes-models'}/\${manifest.apiVersion}/\${manifest.kind}\`;
  const { [manifest.kind]: Model } = await import(name);
  let fault = null;
  try { new Model(manifest).validate(); } catch (error) { fault = error.message; }
  results.push([manifest.kind + ' ' + manifest.metadata.name, fault]);
}
console.log(JSON.stringify(results));
`;

describe('The manifests of docker/kubernetes', () => {
  let project: NpmProject;

  beforeAll(async () => {
    project = new NpmProject();
    project.write({ 'package.json': { private: true, type: 'module' }, 'check.mjs': PROGRAM });
    await project.install(...PACKAGES);
  });
  afterAll(() => project?.remove());

  async function faultsOf(manifests: object[]): Promise<[name: string, fault: string | null][]> {
    project.write({ 'manifests.json': manifests });
    return JSON.parse(await project.run('node', 'check.mjs')) as [string, string | null][];
  }

  it('agree with the schemas of Kubernetes, of the Prometheus operator and of External Secrets', async () => {
    const manifests = readManifests().filter(({ kind }) => !WITHOUT_SCHEMA.includes(kind));
    const results = await faultsOf(manifests);
    expect(results.length).toBeGreaterThan(15);
    expect(results.filter(([, fault]) => fault !== null)).toEqual([]);
  });

  it('disagree with the schemas if a field has another type or is missing', async () => {
    const deployment = readManifests().find(({ kind }) => kind === 'Deployment');
    const { spec } = deployment as { spec: object };
    const changed = (changes: object) => ({ ...deployment, spec: { ...spec, ...changes } });
    const results = await faultsOf([
      changed({ revisionHistoryLimit: 'five' }),
      changed({ selector: undefined }),
    ]);
    expect(results.map(([, fault]) => fault)).toEqual([expect.any(String), expect.any(String)]);
  });
});
