import { Badge } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Moment } from '../../ui/values.tsx';
import { ActionButton } from '../action-button.tsx';
import { showOutcome } from '../outcome.ts';
import { recordText } from '../record-names.ts';
import { KIND, STATUS, STATUS_COLOURS, T } from './texts.ts';

const ROUTE = 'GET /api/admin/webhook-events/{id}';

/** One callback with its original body, which can be processed again if it has failed or was ignored. */
export default function CallbackPage() {
  const { id = '' } = useParams();
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { data, error, refetch } = useRead(ROUTE, { path: { id } });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const { provider, kind, status, reason, attempts, receivedAt, dueAt, settledAt, eventKey, body } =
    data.data;
  const isReplayable = status === 'failed' || status === 'ignored';
  const replay = async () => {
    await api.call('POST /api/admin/webhook-events/{id}/replay', { path: { id } });
    showOutcome(T.replayed);
    for (const route of [ROUTE, 'GET /api/admin/webhook-events'])
      await queries.invalidateQueries({ queryKey: [route] });
  };
  return (
    <>
      <Link to={`/callbacks${from}`}>← {T.title}</Link>
      <PageHead title={`${provider} · ${KIND[kind]}`}>
        <Badge variant="light" color={STATUS_COLOURS[status]}>
          {STATUS[status]}
        </Badge>
      </PageHead>
      <ActionButton
        needs="*"
        blocked={isReplayable ? undefined : T.notReplayable}
        onClick={() => setAsked(true)}
      >
        {T.replay}
      </ActionButton>
      <div className="columns gap-above">
        <Section title={T.status}>
          <Facts
            of={[
              [T.reason, reason && recordText(reason)],
              [T.attempts, String(attempts)],
              [T.received, <Moment key="received" at={receivedAt} />],
              [T.due, status === 'received' && <Moment key="due" at={dueAt} />],
              [T.settled, settledAt && <Moment key="settled" at={settledAt} />],
              [T.key, eventKey],
            ]}
          />
        </Section>
        <Section title={T.body}>
          <CodeBlock text={body} label={T.body} />
        </Section>
      </div>
      {isAsked && (
        <ActionDialog
          title={T.replay}
          effect={T.replayEffect}
          confirm={T.replay}
          onConfirm={replay}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
