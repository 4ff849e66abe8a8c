import { readFileSync } from 'node:fs';
import { ALERT_CASES, DASHBOARD_FILE, readAlertRules } from '../fixtures/alert-rules.js';

const RUNBOOKS = 'https://runbooks.example.com/operations.md#';
const operations = readFileSync('docs/operations.md', 'utf8');
const rules = readAlertRules();

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}
const dashboard = JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as {
  panels: Panel[];
  templating: { list: { name: string; type: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

describe('The alert rules', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s selects the job, and leads to its first action in docs/operations.md',
    (alert, { expr, annotations }) => {
      const metrics = expr.match(/\b[a-z]+(?:_[a-z]+)+(?=\{|\[|\))|\bup(?=\{)/g) ?? [];
      expect(metrics.length).toBeGreaterThan(0);
      expect(expr.match(/\{job="platform"[,}]/g)).toHaveLength(metrics.length);
      expect(annotations.runbook_url?.startsWith(RUNBOOKS)).toBe(true);
      const anchor = annotations.runbook_url?.slice(RUNBOOKS.length);
      expect(operations).toMatch(
        new RegExp(`^\\| .*<a id="${anchor}"></a>\`${alert}\`.* \\| (page|ticket) \\| `, 'm'),
      );
    },
  );

  it('are all listed in docs/operations.md, and tried with promtool', () => {
    const names = rules.map(({ alert }) => alert).sort();
    expect([...operations.matchAll(/<a id="[\w-]+"><\/a>`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(
      names,
    );
    expect(Object.keys(ALERT_CASES).sort()).toEqual(names);
  });
});

describe('The dashboard', () => {
  it('reads the job and the data source that its variables name', () => {
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
    ]);
    const uids = panels.flatMap(({ datasource, targets = [] }) => [
      datasource?.uid,
      ...targets.map((target) => target.datasource.uid),
    ]);
    expect(new Set(uids)).toEqual(new Set(['$' + '{datasource}'])); // not a template string
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.filter((expr) => !expr.includes('{job="$job"'))).toEqual([]);
  });

  it('describes each panel', () => {
    expect(
      panels.filter(({ description = '' }) => description.length < 20).map(({ title }) => title),
    ).toEqual([]);
  });
});
