import type { Reply } from './caller.js';
import type { TestAdmin } from './given.js';
import type { TestPlatform } from './platform.js';

export const RECONCILIATIONS = '/api/admin/reconciliations';
export const BREAKS = '/api/admin/reconciliation-breaks';

/** A line as `GET /:id/lines` shows it. */
export interface ShownLine {
  id: string;
  outcome: string;
  difference: string;
  [field: string]: any;
}

/** Reconciliations as tests make and read them. */
export class Reconciling {
  constructor(
    private readonly platform: TestPlatform,
    private readonly admin: TestAdmin,
  ) {}

  make = (body: object, by = this.admin): Promise<Reply> => this.platform.as(by).post(RECONCILIATIONS, body);

  /** A custodian's statement of the one day that the platform's clock stands at, unless told otherwise. */
  custody = (lines: object[], more: object = {}): Promise<Reply> => {
    const day = this.platform.clock.today();
    return this.make({ source: 'custody', format: 'json', from: day, to: day, lines, ...more });
  };

  csv = (csv: string, more: object = {}): Promise<Reply> =>
    this.custody([], { format: 'csv', lines: undefined, csv, ...more });

  lines = async (id: string, query = ''): Promise<ShownLine[]> =>
    (await this.platform.as(this.admin).get(`${RECONCILIATIONS}/${id}/lines?limit=100&${query}`)).data;

  /** Everything that a reconciliation leaves behind. */
  async stored(): Promise<unknown> {
    const [row] = await this.platform.dataSource.query(
      `select (select count(*)::int from reconciliation) as reconciliations,
              (select count(*)::int from reconciliation_line) as lines,
              (select count(*)::int from audit_entry where action like 'reconciliation%') as deeds`,
    );
    return row;
  }
}
