import { api } from '../../api/client.ts';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import type { DeskAction } from '../desk/actions.tsx';

const T = inLanguage({
  plan: ['Plan transfers', 'Überweisungen planen'],
  planEffect: [
    'Transfers are planned from the net of investments and closings since the last run, and from the surplus or shortage at the deposit provider; another admin approves each of them.',
    'Überweisungen werden aus dem Saldo der Investitionen und Schließungen seit dem letzten Lauf und aus Überschuss oder Mangel beim Einzahlungsanbieter geplant; jede davon gibt ein anderer Admin frei.',
  ],
  planned: [
    (count: string) =>
      `Planned: ${count}. They wait for the approval of a second admin; nothing has moved yet.`,
    (count: string) =>
      `Geplant: ${count}. Sie warten auf die Freigabe eines zweiten Admins; bewegt wurde noch nichts.`,
  ],
  nothing: ['There is nothing to transfer', 'Es gibt nichts zu überweisen'],
  note: ['Note for the audit log (optional)', 'Notiz für das Audit-Log (freiwillig)'],
  execute: ['Create requests', 'Aufträge anlegen'],
  executeEffect: [
    'For each approved transfer a request to an operator is created.',
    'Für jede freigegebene Überweisung wird ein Auftrag an einen Operator angelegt.',
  ],
  created: [
    (count: string) => `Requests created: ${count}`,
    (count: string) => `Angelegte Aufträge: ${count}`,
  ],
  noneApproved: [
    'No approved transfer is without a request',
    'Keine freigegebene Überweisung ist ohne Auftrag',
  ],
  assignTo: [
    'E-mail address of the admin who carries them out (optional)',
    'E-Mail-Adresse des Admins, der sie ausführt (freiwillig)',
  ],
});

/** The two steps that make transfers: planning them, and handing the approved ones to operators. */
export const runsOf = (me: string): DeskAction[] => [
  {
    ...{ name: 'plan', label: T.plan, effect: T.planEffect, done: '' }, // `send` returns the message
    fields: [{ name: 'note', label: T.note, kind: 'text', isOptional: true }],
    send: async (body, idempotencyKey) => {
      const { data } = await api.call('POST /api/admin/transactions/generate', { body, idempotencyKey });
      const { length } = data.transactions;
      return length > 0
        ? { color: 'yellow', message: T.planned(formatCount(length)) }
        : { color: 'green', message: T.nothing };
    },
  },
  {
    ...{ name: 'execute', label: T.execute, effect: T.executeEffect, done: '' }, // `send` returns the message
    fields: [{ name: 'assignedTo', label: T.assignTo, kind: 'text', isOptional: true, initial: me }],
    send: async (body, idempotencyKey) => {
      const { data } = await api.call('POST /api/admin/transactions/execute', { body, idempotencyKey });
      const { length } = data.requests;
      return { color: 'green', message: length > 0 ? T.created(formatCount(length)) : T.noneApproved };
    },
  },
];
