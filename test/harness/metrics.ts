import { sendRequest } from './http-client.js';

/** A parsed /metrics page: `value('ledger_postings_total', { type: 'deposit' })`. */
export class MetricsPage {
  private readonly samples: { name: string; labels: Record<string, string>; value: number }[];

  constructor(readonly text: string) {
    this.samples = text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) as unknown as string[];
        const pairs = [...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]);
        return { name: name as string, labels: Object.fromEntries(pairs), value: Number(value) };
      });
  }

  static async fetch(url: string, token?: string): Promise<MetricsPage> {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const { status, text } = await sendRequest(`${url}/metrics`, { headers });
    if (status !== 200) throw new Error(`/metrics answers ${status}`);
    return new MetricsPage(text);
  }

  /** The sum of all samples with this name and at least these labels; undefined without a sample. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const matching = this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
    );
    return matching.length > 0 ? matching.reduce((sum, { value }) => sum + value, 0) : undefined;
  }

  names(): Set<string> {
    return new Set(this.samples.map(({ name }) => name));
  }

  labelValues(label: string): Set<string> {
    return new Set(this.samples.flatMap(({ labels }) => labels[label] ?? []));
  }
}
