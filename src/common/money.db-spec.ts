import fc from 'fast-check';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { MICRO_SCALE, Money } from './money.js';

/** Positive and negative decimals; those with a 5 and zeros after the sixth decimal are half-way between two rounded values. */
const VALUES = fc
  .tuple(
    fc.bigInt(-(10n ** 15n), 10n ** 15n),
    fc.constantFrom('', '5', '50', '500000', '49', '51', '5000000000000001'),
  )
  .map(([micro, furtherDecimals]) => {
    const digits = String(micro < 0n ? -micro : micro).padStart(MICRO_SCALE + 1, '0');
    const whole = digits.slice(0, -MICRO_SCALE);
    const fraction = digits.slice(-MICRO_SCALE);
    return `${micro < 0n ? '-' : ''}${whole}.${fraction}${furtherDecimals}`;
  });

describe('round_half_even in PostgreSQL', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new pg.Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('rounds as Money does, half-way values to the even digit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(VALUES, { minLength: 50, maxLength: 50 }), async (values) => {
        const { rows } = await client.query<{ rounded: string }>(
          `select round_half_even(value, ${MICRO_SCALE})::text as rounded
             from unnest($1::numeric[]) with ordinality as input(value, place) order by place`,
          [values],
        );
        expect(rows.map(({ rounded }) => Money.of(rounded).toExact())).toEqual(
          values.map((value) => Money.of(value).roundHalfEven(MICRO_SCALE).toExact()),
        );
      }),
      { numRuns: 40 },
    );
  });
});
