import { inLanguage } from '../../ui/language.ts';

export const STATUS = inLanguage({
  holds: ['Holds', 'Stimmt'],
  warning: ['Warning', 'Warnung'],
  broken: ['Broken', 'Verletzt'],
});
export const STATUS_COLOURS = { holds: 'green', warning: 'yellow', broken: 'red' } as const;

export const SEVERITY = inLanguage({
  owed: ['money owed to users', 'Geld der Nutzer'],
  warning: ['other figures', 'andere Zahlen'],
});
