// The baseline server: only Express and node-postgres. It sends the recorded statements of the API with the ids of another
// user and with new ids and hashes for created records.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { randomBytes, randomUUID } from 'node:crypto';
import express from 'express';
import pg from 'pg';

/** A UUID or a transaction hash, which is unique among withdrawals. */
const ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64})/;
const { DATABASE_URL, PORT, RECORDED } = process.env;
// name → {user, keptIds, statements: [{text, values}]}; `keptIds` are sent unchanged, such as the admin's id
const recorded = deserialize(readFileSync(RECORDED));

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });

/** Returns a function of `idOf` that builds the value with `idOf(id)` for each id. `split` puts the ids at odd places. */
function template(value) {
  if (Array.isArray(value)) {
    const items = value.map(template);
    return (idOf) => items.map((item) => item(idOf));
  }
  if (typeof value !== 'string' || !ID.test(value)) return () => value;
  const pieces = value.split(ID);
  return (idOf) => pieces.map((piece, index) => (index % 2 ? idOf(piece) : piece)).join('');
}

const recordings = new Map(
  Object.entries(recorded).map(([name, { user, keptIds, statements }]) => [
    name,
    {
      user,
      keptIds: new Set(keptIds),
      statements: statements.map(({ text, values }) => ({ text, values: values.map(template) })),
    },
  ]),
);

/** Sends the recorded statements for another user and returns the rows of the last one. */
async function replayStatements(name, user, connection) {
  const { user: recordedUser, keptIds, statements } = recordings.get(name);
  const ids = new Map([[recordedUser, user]]);
  const idOf = (id) => {
    if (keptIds.has(id)) return id;
    if (!ids.has(id)) ids.set(id, id.includes('-') ? randomUUID() : randomBytes(32).toString('hex'));
    return ids.get(id);
  };
  let result;
  for (const { text, values } of statements)
    result = await connection.query(
      text,
      values.map((value) => value(idOf)),
    );
  return result.rows;
}

const app = express();
app.use(express.json());
app.get('/ready', (_request, response) => response.json({}));
app.get('/:name/:user', async ({ params }, response) => {
  response.json(await replayStatements(params.name, params.user, pool));
});
app.post('/:name/:user', async ({ params }, response) => {
  const client = await pool.connect(); // the statements are a transaction, so they need the same connection
  try {
    response.json(await replayStatements(params.name, params.user, client));
  } finally {
    client.release();
  }
});
app.listen(Number(PORT), '127.0.0.1');
