import { Badge, Group, Paper, Text, Title } from '@mantine/core';
import { api, type Answer } from '../../api/client.ts';
import { withStepUp } from '../../api/step-up.ts';
import { Facts } from '../../ui/facts.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Moment, Money, Shortened } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { useAdmin, usePermits } from '../session.ts';
import { kindName } from '../record-names.ts';
import {
  BREAK,
  BREAK_COLOURS,
  DIFFERENCE,
  DIRECTION,
  OUTCOME,
  RESOLUTION,
  SIDE_STATUS,
  VERDICT,
} from './texts.ts';

const T = inLanguage({
  statement: ['Statement', 'Auszug'],
  records: ['Our records', 'Unsere Aufzeichnungen'],
  none: ['nothing', 'nichts'],
  reference: ['Reference', 'Referenz'],
  record: ['Record', 'Aufzeichnung'],
  amount: ['Amount', 'Betrag'],
  state: ['State', 'Zustand'],
  at: ['Time', 'Zeit'],
  hash: ['Transaction', 'Transaktion'],
  network: ['Network', 'Netzwerk'],
  difference: ['Difference', 'Differenz'],
  differs: ['Differs in', 'Weicht ab in'],
  chain: ['The chain', 'Die Chain'],
  owner: ['Assigned to', 'Zuständig'],
  resolution: ['Resolution', 'Auflösung'],
  note: ['Note', 'Notiz'],
  proposedBy: ['Proposed by', 'Vorgeschlagen von'],
  resolvedBy: ['Confirmed by', 'Bestätigt von'],
  assign: ['Assign', 'Zuteilen'],
  propose: ['Propose a resolution', 'Auflösung vorschlagen'],
  confirm: ['Confirm', 'Bestätigen'],
  reopen: ['Reopen', 'Wieder öffnen'],
  assignEffect: [
    'The admin is to find the cause of the difference.',
    'Der Admin soll die Ursache der Differenz finden.',
  ],
  proposeEffect: [
    'The cause is recorded, and another admin is asked to confirm it; nothing is booked.',
    'Die Ursache wird festgehalten, und ein anderer Admin wird um Bestätigung gebeten; gebucht wird nichts.',
  ],
  confirmEffect: [
    'The break is resolved as proposed; nothing is booked.',
    'Die Abweichung wird wie vorgeschlagen aufgelöst; gebucht wird nichts.',
  ],
  reopenEffect: [
    'The break is open again, without an owner and without a resolution.',
    'Die Abweichung ist wieder offen, ohne Zuständigen und ohne Auflösung.',
  ],
  assigned: ['Assigned', 'Zugeteilt'],
  proposed: [
    'Proposed: waits for the confirmation of another admin. The break is not resolved yet.',
    'Vorgeschlagen: wartet auf die Bestätigung eines anderen Admins. Die Abweichung ist noch nicht aufgelöst.',
  ],
  resolved: ['The break is resolved', 'Die Abweichung ist aufgelöst'],
  reopened: ['The break is open again', 'Die Abweichung ist wieder offen'],
  assignTo: ['E-mail address of the admin', 'E-Mail-Adresse des Admins'],
  cause: ['The cause, and how it was corrected', 'Die Ursache, und wie sie berichtigt wurde'],
  reason: ['Reason', 'Grund'],
  own: [
    'Another admin has to confirm what you have proposed.',
    'Was Sie vorgeschlagen haben, muss ein anderer Admin bestätigen.',
  ],
  readOnly: ['You may only read transactions.', 'Sie dürfen Buchungen nur lesen.'],
});

type Line = Answer<'GET /api/admin/reconciliations/{id}/lines'>['data'][number];
type Break = NonNullable<Line['break']>;
const MAX_ROWS = 100;

/** A line of the statement beside the record of the platform. */
export function ReconciliationLine({ line, reconciliationId }: { line: Line; reconciliationId: string }) {
  const { outcome, differs, direction, currency, difference, chainVerdict } = line;
  const name = line.there?.reference ?? line.here?.ids[0] ?? line.id;
  return (
    <Paper withBorder p="md" mb="md" component="article">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {visibleText(name)}
        </Title>
        <span className="button-row">
          <Badge variant="light" color={outcome === 'matched' ? 'green' : 'red'}>
            {OUTCOME[outcome]}
          </Badge>
          {line.break && (
            <Badge variant="light" color={BREAK_COLOURS[line.break.status]}>
              {BREAK[line.break.status]}
            </Badge>
          )}
        </span>
      </Group>
      <div className="columns">
        <Side title={T.statement} side={line.there} unit={`${currency} ${DIRECTION[direction]}`} />
        <Side title={T.records} side={line.here} unit={`${currency} ${DIRECTION[direction]}`} />
      </div>
      <div className="gap-above">
        <Facts
          of={[
            [T.difference, <Money key="difference" amount={difference} currency={currency} isExact />],
            [T.differs, differs.map((what) => DIFFERENCE[what] ?? what).join(', ')],
            [T.chain, chainVerdict && VERDICT[chainVerdict]],
          ]}
        />
      </div>
      {line.break && <Resolution of={line.break} id={line.id} reconciliationId={reconciliationId} />}
    </Paper>
  );
}

interface SideProps {
  title: string;
  side: Line['there'] | Line['here'];
  /** Currency and direction, such as "USDC in". */
  unit: string;
}

function Side({ title, side, unit }: SideProps) {
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      {!side && <Text c="dimmed">{T.none}</Text>}
      {side && (
        <Facts
          of={[
            [T.record, 'type' in side && `${kindName(side.type)} ${side.ids.join(', ')}`],
            [T.amount, <Money key="amount" amount={side.amount} currency={unit} isExact />],
            [T.state, SIDE_STATUS[side.status]],
            [T.at, <Moment key="at" at={side.at} />],
            [T.hash, side.txHash && <Shortened key="hash" value={side.txHash} />],
            [T.network, side.network],
          ]}
        />
      )}
    </div>
  );
}

function Resolution({ of, id, reconciliationId }: { of: Break; id: string; reconciliationId: string }) {
  const { email } = useAdmin();
  const mayWrite = usePermits('transactions:write');
  const actorOf = async () => {
    const query = { limit: MAX_ROWS };
    const request = { path: { id: reconciliationId }, query };
    const { data } = await api.call('GET /api/admin/reconciliations/{id}/lines', request);
    const now = data.find((line) => line.id === id)?.break;
    return now?.resolvedBy ?? now?.proposedBy ?? now?.owner;
  };
  return (
    <div className="gap-above">
      <Facts
        of={[
          [T.owner, of.owner],
          [T.resolution, of.resolution && RESOLUTION[of.resolution]],
          [T.note, of.note],
          [T.proposedBy, of.proposedBy],
          [T.resolvedBy, of.resolvedBy],
        ]}
      />
      <div className="gap-above">
        <Actions
          actions={actionsOf(of, id, email, mayWrite ? undefined : T.readOnly)}
          areas={['reconciliations', 'approvals']}
          actorOf={actorOf}
        />
      </div>
    </div>
  );
}

function actionsOf({ status, proposedBy }: Break, id: string, me: string, blocked?: string): DeskAction[] {
  const path = { id };
  const assign: DeskAction = {
    ...{ name: 'assign', label: T.assign, effect: T.assignEffect, done: T.assigned, blocked },
    fields: [{ name: 'owner', label: T.assignTo, kind: 'text', initial: me }],
    send: async ({ owner = '' }) =>
      void (await api.call('POST /api/admin/reconciliation-breaks/{id}/assign', { path, body: { owner } })),
  };
  const propose: DeskAction = {
    ...{ name: 'propose', label: T.propose, effect: T.proposeEffect, done: T.proposed, blocked },
    fields: [
      { name: 'resolution', label: T.resolution, kind: 'choice', choices: RESOLUTION },
      { name: 'note', label: T.cause, kind: 'reason' },
    ],
    send: async ({ resolution, note = '' }) => {
      const body = { resolution: resolution as keyof typeof RESOLUTION, note };
      await api.call('POST /api/admin/reconciliation-breaks/{id}/propose', { path, body });
      return { color: 'yellow', message: T.proposed };
    },
  };
  const confirm: DeskAction = {
    ...{ name: 'confirm', label: T.confirm, effect: T.confirmEffect, done: T.resolved },
    blocked: blocked ?? (proposedBy === me ? T.own : undefined),
    send: () =>
      withStepUp({ action: 'approval.approve', details: { id } }, async (token) => {
        await api.call('POST /api/admin/reconciliation-breaks/{id}/confirm', { path, ...token });
      }),
  };
  const reopen: DeskAction = {
    ...{ name: 'reopen', label: T.reopen, effect: T.reopenEffect, done: T.reopened, blocked },
    isDangerous: true,
    fields: [{ name: 'reason', label: T.reason, kind: 'reason' }],
    send: async ({ reason = '' }) =>
      void (await api.call('POST /api/admin/reconciliation-breaks/{id}/reopen', { path, body: { reason } })),
  };
  switch (status) {
    case 'open':
      return [assign];
    case 'assigned':
      return [propose, assign, reopen];
    case 'proposed':
      return [confirm, reopen];
    case 'resolved':
      return [reopen];
  }
}
