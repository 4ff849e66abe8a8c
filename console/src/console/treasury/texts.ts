import { inLanguage } from '../../ui/language.ts';

export const CHAIN_CHECK = inLanguage({
  all: ['All', 'Alle'],
  matched: ['On chain', 'Auf der Chain'],
  mismatch: ['Chain contradicts', 'Chain widerspricht'],
  unverified: ['Not verified', 'Nicht geprüft'],
});

export const CHAIN_CHECK_COLOURS = { matched: 'green', mismatch: 'red', unverified: 'yellow' } as const;

export const PURPOSE = inLanguage({
  all: ['All', 'Alle'],
  allocate: ['Invested, into custody', 'Investiertes in die Verwahrung'],
  deallocate: ['From custody', 'Aus der Verwahrung'],
  sweep: ['Surplus, into custody', 'Überschuss in die Verwahrung'],
});

export const REQUEST_STATUS = inLanguage({
  pending: ['To carry out', 'Auszuführen'],
  completed: ['Carried out', 'Ausgeführt'],
  rejected: ['Rejected', 'Abgelehnt'],
  all: ['All', 'Alle'],
});

const T = inLanguage({ booked: ['Booked', 'Gebucht'], chain: ['Chain', 'Chain'] });

/** The outcome of a booking by hand: with a hash, what the chain says about it. */
export const bookedOutcome = (verdict: keyof typeof CHAIN_CHECK_COLOURS | null | undefined) =>
  verdict
    ? { color: CHAIN_CHECK_COLOURS[verdict], message: `${T.booked}. ${T.chain}: ${CHAIN_CHECK[verdict]}` }
    : undefined;
