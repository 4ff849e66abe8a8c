import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { plainManifests, renderChart } from '../../scripts/render-chart.mjs';
import { SETTINGS } from '../../src/config/settings.js';
import { readManifests, type Manifest } from '../fixtures/manifests.js';

const manifests = readManifests();
const find = (kind: string, name: string): Manifest =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name) as Manifest;

const { spec: deployment } = find('Deployment', 'platform-api');
const pod = deployment.template.spec;
const [api] = pod.containers;
const LABELS = deployment.template.metadata.labels;

describe('The charts', () => {
  it('are written to docker/kubernetes with their default values', () => {
    const written = Object.entries(plainManifests()).map(([path, text]) => [
      path,
      text === readFileSync(path, 'utf8'),
    ]);
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(readdirSync('docker/kubernetes').map((name) => [`docker/kubernetes/${name}`, true])),
    );
  });

  it('only substitute values, so that scripts/render-chart.mjs renders them as Helm does', () => {
    const templates = readdirSync('docker/helm', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('templates/'),
    );
    expect(templates.length).toBeGreaterThan(8);
    const expressions = templates.flatMap(
      (path) => readFileSync(join('docker/helm', path), 'utf8').match(/\{\{.*?\}\}/gs) ?? [],
    );
    const PLAIN =
      /^\{\{ (\.(Values|Release)(\.\w+)+|\.Files\.Get "[\w./]+")( \| (quote|toJson|indent \d|replace "[^"]+" \.Values\.\w+))* \}\}$/;
    expect(expressions.filter((expression) => !PLAIN.test(expression))).toEqual([]);
  });

  it('render the values that an operator gives, and the optional parts only if they are enabled', () => {
    const values = {
      image: { tag: '1.2.3' },
      settings: { PUBLIC_URL: 'https://app.example.com' },
      monitoring: { enabled: true, runbooks: 'https://wiki.example.com' },
    };
    const {
      'deployment.yaml': text = '',
      'settings.yaml': settings = '',
      ...files
    } = renderChart('docker/helm/platform', 'live', values);
    expect(load(text)).toMatchObject({
      metadata: { name: 'live-api' },
      spec: { template: { spec: { containers: [{ image: 'stablecoin-platform:1.2.3' }] } } },
    });
    expect(loadAll(settings)[0]).toMatchObject({ data: values.settings });
    expect(files['monitoring.yaml']).toContain(
      'runbook_url: https://wiki.example.com/operations.md#no-process',
    );
    expect(Object.keys(files)).not.toContain('external-secrets.yaml');
  });

  it('reject an expression without a value', () => {
    expect(() => renderChart('docker/helm/platform', 'live', { image: { tag: undefined } })).toThrow(
      /has no value/,
    );
  });

  it('have the resources that docs/operations.md names, each once', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'Deployment platform-api',
        'Service platform-api',
        'PodDisruptionBudget platform-api',
        'HorizontalPodAutoscaler platform-api',
        'NetworkPolicy platform-api',
        'ServiceAccount platform-api',
        'Job platform-migration',
        'ServiceMonitor platform-api',
        'PrometheusRule platform-alerts',
        'ExternalSecret platform-settings',
        'ExternalSecret platform-migration',
        'ExternalSecret platform-admins',
        'Cluster platform-database',
        'ScheduledBackup platform-database-nightly',
        'CronJob platform-database-drill',
        'Cluster platform-database-drill',
      ]),
    );
  });
});

describe('The Deployment', () => {
  it('runs without a token of Kubernetes, root, capabilities and a file system that can be written', () => {
    expect(pod).toMatchObject({ serviceAccountName: 'platform-api', automountServiceAccountToken: false });
    expect(find('ServiceAccount', 'platform-api').automountServiceAccountToken).toBe(false);
    const { spec: job } = find('Job', 'platform-migration');
    for (const each of [pod, job.template.spec]) {
      expect(each.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(each.automountServiceAccountToken).toBe(false);
      expect(each.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('is probed at PROBE_PORT, to which the Service of the API does not lead', () => {
    const ports = Object.fromEntries(api.ports.map((port: any) => [port.name, port.containerPort]));
    const settings = Object.fromEntries(api.env.map((each: any) => [each.name, each.value]));
    expect(settings).toMatchObject({ PORT: String(ports.http), PROBE_PORT: String(ports.probes) });
    expect(Object.keys(settings).filter((name) => !(name in SETTINGS))).toEqual([]);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(api[probe].httpGet.port).toBe('probes');
    expect(find('Service', 'platform-api').spec.ports.map((port: any) => port.targetPort)).toEqual(['http']);
  });

  it('gives a process the time that its shutdown takes, and its start the time to wait for the database', () => {
    const settings = Object.fromEntries(api.env.map((each: any) => [each.name, Number(each.value)]));
    // Two seconds more than the parts of a shutdown that have settings.
    const shutdownSeconds = settings.SHUTDOWN_DELAY_SECONDS + SETTINGS.SHUTDOWN_SECONDS.fallback + 2;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds);
    const { periodSeconds, failureThreshold } = api.startupProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThan(SETTINGS.DATABASE_WAIT_SECONDS.fallback);
  });

  it('is selected by the Services, the disruption budget, the network policy and the autoscaler', () => {
    const { spec: policy } = find('NetworkPolicy', 'platform-api');
    const { spec: monitor } = find('ServiceMonitor', 'platform-api');
    for (const labels of [
      find('Service', 'platform-api').spec.selector,
      find('Service', 'platform-metrics').spec.selector,
      find('PodDisruptionBudget', 'platform-api').spec.selector.matchLabels,
      policy.podSelector.matchLabels,
      deployment.selector.matchLabels,
      ...pod.topologySpreadConstraints.map((each: any) => each.labelSelector.matchLabels),
    ])
      expect(labels).toEqual(LABELS);
    expect(find('HorizontalPodAutoscaler', 'platform-api').spec).toMatchObject({
      scaleTargetRef: { name: 'platform-api' },
      minReplicas: 2,
    });
    expect(monitor.selector.matchLabels).toEqual(find('Service', 'platform-metrics').metadata.labels);
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('is replaced after a migration by a Job that has the same image and other secrets', () => {
    const { spec: job, metadata } = find('Job', 'platform-migration');
    expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job.template.spec.containers[0].image).toBe(api.image);
    expect(job.template.spec.containers[0].envFrom[0].secretRef.name).not.toBe(api.envFrom[1].secretRef.name);
    expect(deployment.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });
});

describe('The Cluster of PostgreSQL', () => {
  it('has three instances on different nodes, and answers a write when a standby has it', () => {
    const { spec } = find('Cluster', 'platform-database');
    expect(spec).toMatchObject({
      instances: 3,
      affinity: { podAntiAffinityType: 'required' },
      postgresql: {
        synchronous: { method: 'any', number: 1, dataDurability: 'required', failoverQuorum: true },
      },
    });
  });

  it('grants the roles the rights of docs/operations.md', () => {
    const [, section = ''] = /^## Roles\n(.*?)^## /ms.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
    const statements: string[] = find('Cluster', 'platform-database').spec.bootstrap.initdb
      .postInitApplicationSQL;
    const documented = section.replaceAll(
      'ALTER DEFAULT PRIVILEGES IN',
      'ALTER DEFAULT PRIVILEGES FOR ROLE platform_owner IN',
    );
    const granting = statements.filter((statement) => /^(GRANT|REVOKE|ALTER)/.test(statement));
    expect(granting).toHaveLength(6);
    expect(granting.filter((statement) => !documented.includes(`${statement};`))).toEqual([]);
  });

  it('is backed up every night, and a drill recovers the backup into a cluster that archives nothing', () => {
    const [{ name, parameters }] = find('Cluster', 'platform-database').spec.plugins;
    expect(find('ScheduledBackup', 'platform-database-nightly').spec).toMatchObject({
      cluster: { name: 'platform-database' },
      pluginConfiguration: { name },
    });
    const drill = find('Cluster', 'platform-database-drill').spec;
    expect(drill.externalClusters[0].plugin).toEqual({
      name,
      parameters: { ...parameters, serverName: 'platform-database' },
    });
    expect(drill.plugins).toBeUndefined();
    const { rules = [] } = find('Role', 'platform-database-drill');
    const deleting = rules.filter(({ verbs }) => verbs.includes('delete') || verbs.includes('patch'));
    expect(deleting.map(({ resourceNames }) => resourceNames)).toEqual([['platform-database-drill']]);
  });
});
