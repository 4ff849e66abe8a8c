import pg from 'pg';

const FEW = 3;

interface Pool {
  totalCount: number;
  _isFull: (this: Pool) => boolean;
}

const pools = pg.Pool.prototype as unknown as Pool;
const isFull = pools._isFull;
let starting = 0;
pools._isFull = function () {
  return isFull.call(this) || (starting > 0 && this.totalCount >= FEW);
};

/**
 * Runs `start` while each pool opens at most three connections. Otherwise the jobs of the start open up to twenty at once, which cost
 * PostgreSQL more than the statements of these jobs, and most tests need few of them.
 */
export async function withFewConnections<Result>(start: () => Promise<Result>): Promise<Result> {
  starting++;
  try {
    return await start();
  } finally {
    starting--;
  }
}
