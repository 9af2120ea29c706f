import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../src/platform/settings/settings.js';
import { renderTemplate } from './support/helm-templates.js';

const CHART = new URL('../../deploy/helm/savepoint/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, CHART), 'utf8');
const chart = parse(read('Chart.yaml')) as { appVersion: string; version: string };
const defaults = parse(read('values.yaml')) as Record<string, unknown>;

type Labels = Record<string, string>;
type Container = {
  image: string;
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: object[];
  [name: `${string}Probe`]: { httpGet: { path: string; port: string } };
};
type Manifest = {
  kind: string;
  metadata: { name: string };
  spec: {
    selector: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels: Labels };
    policyTypes: string[];
    ingress: { ports: { port: string }[]; from?: object[] }[];
    egress?: object[];
    ports: { targetPort: string }[];
    maxUnavailable: number;
    template: {
      metadata: { labels: Labels };
      spec: { containers: [Container]; terminationGracePeriodSeconds: number; volumes: object[] };
    };
  };
};

function render(values: Record<string, unknown> = {}): Manifest[] {
  const root = {
    Values: { ...defaults, ...values },
    Release: { Name: 'game' },
    Chart: { AppVersion: chart.appVersion },
  };
  return readdirSync(new URL('templates', CHART)).flatMap((name) =>
    parseAllDocuments(renderTemplate(read(`templates/${name}`), root)).flatMap((document) => {
      expect(document.errors, name).toEqual([]);
      // A template that makes nothing is an empty document.
      const manifest = document.toJS() as Manifest | null;
      return manifest === null ? [] : [manifest];
    }),
  );
}

describe('the Helm chart', () => {
  const manifests = render();
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as Manifest;
  const pod = deployment.spec.template;
  const [container] = pod.spec.containers;

  it('has a deployment, a service for players, one for operators, a disruption budget and a network policy', () => {
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Deployment game',
      'NetworkPolicy game',
      'PodDisruptionBudget game',
      'Service game',
      'Service game-operations',
    ]);
  });

  it('selects the pods of the deployment everywhere, and ports that they have', () => {
    const ports = container.ports.map(({ name }) => name);
    for (const { kind, spec } of manifests) {
      const selector = spec.podSelector ?? spec.selector;
      expect(selector.matchLabels ?? selector, kind).toEqual(pod.metadata.labels);
      if (kind === 'Service')
        expect(ports).toEqual(expect.arrayContaining(spec.ports.map((p) => p.targetPort)));
    }
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect(ports).toContain(container[name]?.httpGet.port);
  });

  it('asks /readyz whether to send players, and /healthz whether to restart', () => {
    expect(container.readinessProbe?.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe?.httpGet.path).toBe('/healthz');
    expect(container.startupProbe?.httpGet.path).toBe('/healthz');
  });

  it('gives a node ten seconds more than the drain, and stops one at a time', () => {
    const drain = container.env.find(({ name }) => name === 'SAVEPOINT_DRAIN_SECONDS')?.value;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(drain) + 10);
    const budget = manifests.find(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budget?.spec.maxUnavailable).toBe(1);
  });

  it('sets nothing but settings of the service, and passes on those of the operator', () => {
    const known = SETTINGS.map(({ name }) => name);
    for (const { name } of container.env) expect(known).toContain(name);
    const mine = { name: 'SAVEPOINT_WORKERS', value: '3' };
    const deployed = render({ env: [mine] }).find(({ kind }) => kind === 'Deployment');
    expect(deployed?.spec.template.spec.containers[0].env).toContainEqual(mine);
  });

  it('takes the image of its version unless a tag is named, and a claim for the data', () => {
    expect(container.image).toBe(`savepoint:${chart.appVersion}`);
    const other = render({
      image: { repository: 'registry.example/savepoint', tag: 'abc', digest: '', pullPolicy: 'Always' },
      dataClaim: 'shared',
    }).find(({ kind }) => kind === 'Deployment') as Manifest;
    expect(other.spec.template.spec.containers[0].image).toBe('registry.example/savepoint:abc');
    expect(other.spec.template.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'shared' },
    });
  });

  it('takes an image by its digest before any tag', () => {
    const image = {
      repository: 'registry.example/savepoint',
      tag: 'abc',
      digest: 'sha256:12',
      pullPolicy: 'Always',
    };
    const deployed = render({ image }).find(({ kind }) => kind === 'Deployment');
    expect(deployed?.spec.template.spec.containers[0].image).toBe('registry.example/savepoint@sha256:12');
  });

  it('mounts the credentials of NATS, if there are any, and names the file', () => {
    const deployed = render({ natsCredentials: 'nats-user' }).find(({ kind }) => kind === 'Deployment');
    const spec = deployed?.spec.template.spec as Manifest['spec']['template']['spec'];
    const [{ env, volumeMounts }] = spec.containers;
    expect(env).toContainEqual({ name: 'SAVEPOINT_NATS_CREDS', value: '/etc/savepoint/nats/nats.creds' });
    expect(volumeMounts).toContainEqual({ name: 'nats', mountPath: '/etc/savepoint/nats', readOnly: true });
    expect(spec.volumes).toContainEqual({ name: 'nats', secret: { secretName: 'nats-user' } });
  });

  describe('the network policy', () => {
    const policy = (values: Record<string, unknown> = {}) =>
      render({ networkPolicy: { ...(defaults.networkPolicy as object), ...values } }).find(
        ({ kind }) => kind === 'NetworkPolicy',
      )?.spec;
    const peers = [{ podSelector: { matchLabels: { app: 'ingress' } } }];

    it('lets everybody to the port of players, and Prometheus alone to that of operators', () => {
      const { ingress, policyTypes } = policy() as Manifest['spec'];
      expect(policyTypes).toEqual(['Ingress']);
      expect(ingress).toEqual([
        { ports: [{ port: 'players' }] },
        { ports: [{ port: 'operations' }], from: [expect.objectContaining({ namespaceSelector: {} })] },
      ]);
    });

    it('has no rule for operators where nobody is named: an empty list of peers would be everybody', () => {
      expect(policy({ operationsFrom: [] })?.ingress).toEqual([{ ports: [{ port: 'players' }] }]);
    });

    it('lets in and out whom the operator names, or is left out', () => {
      const named = policy({ playersFrom: peers, egress: [{ to: peers }] });
      expect(named?.ingress[0]?.from).toEqual(peers);
      expect(named).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [{ to: peers }] });
      expect(policy({ enabled: false })).toBeUndefined();
    });
  });

  it('has the version of the server', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });
});

it.each(['{{ include "x" . }}', '{{ .Values.none }}', '{{ if .Values }}', '{{ .Values | upper }}'])(
  'the renderer of this test refuses %s',
  (template) => {
    expect(() => renderTemplate(template, { Values: { a: 1 } })).toThrow();
  },
);
