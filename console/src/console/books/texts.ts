import { inLanguage } from '../../ui/language.ts';

export const T = inLanguage({
  kind: ['Account', 'Konto'],
  scope: ['Network or strategy', 'Netzwerk oder Strategie'],
  asset: ['Asset', 'Währung'],
  class: ['Class', 'Klasse'],
  owner: ['Owner', 'Inhaber'],
  debit: ['Debit', 'Soll'],
  credit: ['Credit', 'Haben'],
  date: ['End of the day', 'Ende des Tages'],
  from: ['First day', 'Erster Tag'],
  to: ['Last day', 'Letzter Tag'],
  none: ['No account has an entry yet.', 'Noch hat kein Konto eine Buchung.'],
  journal: ['Export as a journal', 'Als Journal exportieren'],
});

export const CLASS = inLanguage({
  asset: ['Asset', 'Aktiva'],
  liability: ['Liability', 'Verbindlichkeit'],
  equity: ['Equity', 'Eigenkapital'],
  income: ['Income', 'Ertrag'],
  expense: ['Expense', 'Aufwand'],
});

export const OWNER = inLanguage({
  platform: ['Platform', 'Plattform'],
  users: ['All users', 'Alle Nutzer'],
});
