// Generates docs/events.md from the table of types and the schemas of their data.

const FEED = `ADMIN=$(curl -s localhost:3000/api/admin/auth/login -H 'content-type: application/json' -d '{"email":"admin@example.com","password":"sandbox-password"}' | node -pe 'JSON.parse(fs.readFileSync(0)).data.token')
curl -s "localhost:3000/api/admin/events?after=0&limit=2" -H "authorization: Bearer $ADMIN"
curl -s "localhost:3000/api/admin/events?types=deposit.completed,alert.raised" -H "authorization: Bearer $ADMIN"`;

const RECEIVER = `cat > event-receiver.mjs <<'END'
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.EVENT_WEBHOOK_SECRET);
const seen = new Set(); // in your program: a table, written in the transaction that handles the event
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = webhook.verify(Buffer.concat(chunks), request.headers); // signatures cover the exact bytes
    if (!seen.has(event.id)) console.log(event.number, event.type, event.subject, event.data);
    seen.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(4001);
END
export EVENT_WEBHOOK_URL=http://localhost:4001 EVENT_WEBHOOK_SECRET=whsec_$(openssl rand -base64 32)
node event-receiver.mjs &
npm start`;

const EXAMPLE = {
  specversion: '1.0',
  id: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  source: 'https://app.example.com',
  type: 'user.created',
  time: '2026-01-31T12:00:00.000Z',
  subject: 'user/0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
  datacontenttype: 'application/json',
  number: '4711',
  userid: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
  data: { status: 'active', createdBy: 'sign-in' },
};

/** `days`: how long events are kept. */
const feedText = (
  days,
) => `The service records what happens in the table \`domain_event\`, in the transaction in which it happens. Programs of the operator read
these events in two ways, in the same order: they ask for them (the feed), or the service sends them (the event webhook). Users have
[webhooks](webhooks.md) and [live delivery](live.md) about themselves.

Events contain no e-mail address. Data of \`deposit\`, \`investment\`, \`withdrawal\` and \`log\` is that of users' webhooks; its \`reason\` is the
only text that a person has written. The column Permission names what the routes of the record need, for programs that pass events on; it is
empty if none is needed, or if it depends on the kind of the approval. The feed itself needs \`audit:read\`.

## The feed

\`GET /api/admin/events?after=&types=&limit=\` answers the events with numbers above \`after\`, the oldest first, at most \`limit\` (100 by
default, 1,000 at most). Begin without \`after\`, then send \`next\` of each answer as \`after\` of the following request; \`next\` is null if there
is nothing new. With the [sandbox](sandbox.md) running:

\`\`\`sh
${FEED}
\`\`\`

The field \`data\` of an answer:

\`\`\`json
{
  "events": [
    {
      "number": "4711",
      "id": "0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11",
      "type": "user.created",
      "at": "2026-01-31T12:00:00.000Z",
      "userId": "0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12",
      "subject": { "type": "user", "id": "0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12" },
      "data": { "status": "active", "createdBy": "sign-in" }
    }
  ],
  "next": "4711"
}
\`\`\`

- A reader that continues with \`next\` misses no event: an event is answered only when none with a smaller number can be committed any
  more. A transaction that writes for long delays the events behind it.
- Numbers are decimal strings. They have gaps; a gap is no lost event. \`at\` is domain time and does not decide the order.
- Events are kept for ${days} days. If events above \`after\` were deleted, the answer is 422 \`INVALID_STATE\` with \`details.oldest\`, the number of
  the oldest event: read the lists anew, and continue with \`after\` one below it. The events of an erased user are deleted at once.
- With \`types\`, \`events\` can be empty and \`next\` the number of an event of another type: the search has passed over the events up to it.
  Continue with \`next\`, so that the following request does not search them again.
`;

const webhookText = (days) => `## The event webhook

Set \`EVENT_WEBHOOK_URL\` and \`EVENT_WEBHOOK_SECRET\` (\`echo whsec_$(openssl rand -base64 32)\`). The service sends every event that is
committed afterwards as a [CloudEvent](https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md) 1.0 in the structured mode, signed by the headers of [Standard Webhooks](https://www.standardwebhooks.com).
The receiver may be in a private network and without TLS.

\`\`\`http
POST /events HTTP/1.1
content-type: application/cloudevents+json
webhook-id: ${EXAMPLE.id}
webhook-timestamp: 1769860800
webhook-signature: v1,…

${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

\`number\` and \`userid\` are extension attributes; \`userid\` is absent for an event without a user. A receiver, and the sandbox that sends
to it (stop a running sandbox before; \`npm install standardwebhooks\` elsewhere):

\`\`\`sh
${RECEIVER}
\`\`\`

- Events arrive strictly in the order of their numbers, one at a time. Any status of 2xx within ten seconds accepts an event.
- After any other outcome the event is sent again, after 1, 2, 4 … seconds and then every five minutes, until it is accepted; the events
  behind it wait. After five minutes the alert \`event-webhook-failing\` opens, and the next success resolves it. Do not refuse events that
  you do not need.
- An event can arrive twice, for example if a process ends after the receiver has accepted it: \`webhook-id\` and \`id\` are the id of the event.
- The row \`event-webhook\` of the table \`event_consumer\` holds the number of the last accepted event. While \`EVENT_WEBHOOK_URL\` is not set it
  stays, and sending continues there; events older than ${days} days are gone. To send events again or to leave some out, stop the
  processes, change the number, and start them. After a process has ended without releasing its lease, another one continues within a minute.
- To replace the secret, let the receiver accept both secrets (\`verify\` with each), and then change the setting.
`;

const TYPES = `## Types

\`investment.created\` is also the type of an investment that waits for approval: read its record, or wait for \`investment.approved\`. The
status of a user is reported by \`user.status-changed\`, whether or not the user was notified. Events of address books, API keys and admins'
passwords, notifications and balances are not in the feed.
`;

/** `events`: the table of types. `schemas`: by the name of the data class. */
export function eventsPage(events, schemas, days, generated) {
  const rows = Object.entries(events).map(
    ([type, { summary, permission, data }]) =>
      `| \`${type}\` | ${summary} | ${permission ? `\`${permission}\`` : ''} | [${data.name}](#${data.name.toLowerCase()}) |`,
  );
  const classes = [...new Set(Object.values(events).map(({ data }) => data.name))];
  const table = `| type | happens when | permission | data |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  const sections = classes.map((name) => `### ${name}\n\n${fieldTable(schemas[name])}`);
  return `# Events\n\n${generated}\n\n${feedText(days)}\n${webhookText(days)}\n${TYPES}\n${table}\n## Data\n\n${sections.join('\n')}`;
}

function fieldTable({ properties }) {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${typeText(schema)} | ${schema.deprecated ? 'deprecated: ' : ''}${(schema.description ?? '').replace(/[<|]/g, '\\$&')} |`,
  );
  return `| field | type | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

const FORMATS = { uuid: 'UUID', 'date-time': 'time (ISO 8601, UTC)', date: 'day' };

function typeText(schema) {
  const types = [schema.type].flat();
  const text = choicesText(schema) ?? FORMATS[schema.format] ?? plainType(schema, types);
  return types.includes('null') ? `${text}, or null` : text;
}

function choicesText({ enum: choices }) {
  return choices
    ?.filter((choice) => choice !== null)
    .map((choice) => `\`${choice}\``)
    .join(', ');
}

function plainType({ pattern }, types) {
  return pattern?.includes('\\.') ? 'decimal string' : types.find((name) => name !== 'null');
}
