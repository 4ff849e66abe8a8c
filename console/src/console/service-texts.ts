import { language } from '../ui/language.ts';

// German for texts that the service writes for admins in fixed wordings: invariants, health, service levels, reasons of callbacks.
// `valueText` writes a value in such a text, for example an amount.

type German = typeof import('./german-service.ts');
type ValueText = (value: string) => string;

let german: German | undefined;

/** Resolves when the texts of the language are loaded, or cannot be. */
export async function loadServiceTexts(): Promise<void> {
  if (language === 'de') german = await import('./german-service.ts').catch(() => undefined);
}

/** The German of a text, or of a list of texts such as "the event loop is late, the heap is nearly full"; undefined if there is none. */
export function germanServiceText(text: string, valueText: ValueText): string | undefined {
  const whole = german?.serviceText(text, valueText);
  const comma = text.indexOf(', ');
  if (whole !== undefined || comma < 0) return whole;
  const first = german?.serviceText(text.slice(0, comma), valueText);
  const others = first && germanServiceText(text.slice(comma + 2), valueText);
  return others && `${first}, ${others}`;
}

export const germanViolation = (subject: string, valueText: ValueText): string | undefined =>
  german?.violationText(subject, valueText);

export const germanTransfer = (description: string, valueText: ValueText): string | undefined =>
  german?.transferText(description, valueText);

/** The German name of an invariant, which the service names by a code; undefined if there is none. */
export const germanInvariant = (name: string): string | undefined => german?.invariantName(name);
