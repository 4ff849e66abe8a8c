import { domainToASCII } from 'node:url';

const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;

/** Control, format, unassigned and invisible characters; and lone surrogates, since UTF-8 stores each of them as the same U+FFFD. */
const UNREADABLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;
const LOCAL_PART = /^[^\s\p{Z}"(),:;<>[\]\\@]+$/u;
/** Excludes what `domainToASCII` takes for the end of a domain, a port or an encoded character. */
const DOMAIN = /^[^\s\p{Z}!-,/:-@[-^`{-~]+$/u;
const ASCII_DOMAIN = /^(?:[a-z0-9_-]+\.)*(?![0-9]+$)[a-z0-9_-]+$/;

export type CanonicalEmail =
  | { readonly email: string; readonly fault?: undefined }
  | { readonly email?: undefined; readonly fault: string };

/**
 * The one spelling of an e-mail address, under which accounts are found: trimmed, in lower case, in Unicode's form NFC, with
 * the domain in its ASCII form. `fault` is the reason why a text is not an address.
 */
export function canonicalEmail(text: string): CanonicalEmail {
  const trimmed = text.trim();
  if (UNREADABLE.test(trimmed)) return { fault: 'has control, format or invisible characters' };
  const [local = '', domain = '', ...others] = trimmed.split('@');
  if ([...local].some(becomesAscii)) return { fault: 'has characters that stand for others' };
  if (others.length > 0 || !LOCAL_PART.test(local.normalize('NFC')) || !DOMAIN.test(domain))
    return { fault: 'must be an e-mail address' };
  const localPart = normalized(local);
  const asciiDomain = domainToASCII(domain);
  if (!ASCII_DOMAIN.test(asciiDomain)) return { fault: 'must be an e-mail address' };
  if (localPart.length > MAX_LOCAL_PART_LENGTH || asciiDomain.length > MAX_DOMAIN_LENGTH)
    return { fault: 'is too long' };
  return { email: `${localPart}@${asciiDomain}` };
}

/** The canonical spelling of an address, or of a part of one, to search for. */
export function searchedEmail(text: string): string {
  return canonicalEmail(text).email ?? normalized(text.trim());
}

function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** True for characters such as the Kelvin sign, whose lower case is the letter k: the result would be another address. */
function becomesAscii(character: string): boolean {
  return character > '\x7f' && /[\0-\x7f]/.test(normalized(character));
}
