import { api } from '../../api/client.ts';
import { inLanguage } from '../../ui/language.ts';
import { saveFile } from '../../ui/save-file.ts';
import type { DeskAction } from '../desk/actions.tsx';

const T = inLanguage({
  label: ['Save statement', 'Kontoauszug speichern'],
  effect: [
    'The statement is saved as a file, as the user gets it. The audit log records who has read it.',
    'Der Kontoauszug wird als Datei gespeichert, wie ihn der Nutzer bekommt. Das Audit-Log hält fest, wer ihn gelesen hat.',
  ],
  done: ['The statement is saved', 'Der Kontoauszug ist gespeichert'],
  from: ['First day', 'Erster Tag'],
  fromMeaning: [
    'If it is empty: the 30 days up to the last day.',
    'Ist er leer: die 30 Tage bis zum letzten Tag.',
  ],
  to: ['Last day', 'Letzter Tag'],
  toMeaning: ['Today if it is empty.', 'Heute, wenn er leer ist.'],
  format: ['Format', 'Format'],
});
const FORMATS = { csv: 'CSV', journal: 'Journal (hledger, Ledger)' };

export const statementOf = (id: string, email: string): DeskAction => ({
  ...{ name: 'statement', label: T.label, effect: T.effect, done: T.done },
  fields: [
    { name: 'from', label: T.from, kind: 'date', isOptional: true, description: T.fromMeaning },
    { name: 'to', label: T.to, kind: 'date', isOptional: true, description: T.toMeaning },
    { name: 'format', label: T.format, kind: 'choice', choices: FORMATS },
  ],
  send: async ({ from, to, format: chosen }) => {
    const format = chosen === 'journal' ? 'journal' : 'csv';
    const query = { ...(from ? { from } : {}), ...(to ? { to } : {}), format } as const;
    const answer = await api.call('GET /api/admin/users/{id}/statement', { path: { id }, query });
    const name = ['statement', email, from, to].filter(Boolean).join('-');
    saveFile(
      `${name}.${format}`,
      answer as string,
      format === 'csv' ? 'text/csv' : 'text/plain;charset=utf-8',
    );
  },
});
