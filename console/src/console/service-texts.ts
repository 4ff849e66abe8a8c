import { language } from '../ui/language.ts';

// German for closed sets of texts that the service writes for admins: invariants, health, service levels, reasons of callbacks.

type German = typeof import('./german-service.ts');
type ValueText = (value: string) => string;

let german: German | undefined;

/** Resolves when the texts of the language are loaded, or cannot be. */
export async function loadServiceTexts(): Promise<void> {
  if (language === 'de') german = await import('./german-service.ts').catch(() => undefined);
}

/** The text in German, which may be a list such as "the event loop is late, the heap is nearly full"; undefined without German. */
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

/** The name of an invariant, if it is not its code. */
export const germanInvariant = (name: string): string | undefined => german?.invariantName(name);
