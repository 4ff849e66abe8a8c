import type { Approval } from '../../api/approvals.ts';
import { codeName, recordText, valueText } from '../record-names.ts';
import { RESOLUTION } from '../reconciliation/texts.ts';
import { KIND } from './texts.ts';

/** The title of an approval: the change and the record, in the language of the page. */
export const titleOf = (approval: Approval): string => `${KIND[approval.kind]}: ${nameOf(approval)}`;

function nameOf({ kind, subject: { label } }: Approval): string {
  if (kind === 'break') return RESOLUTION[label as keyof typeof RESOLUTION] ?? label;
  const [type = '', amount] = label.split(' of '); // such as "deposit of 12.00 USDC"
  return kind === 'transaction' && amount ? `${codeName(type)}, ${valueText(amount)}` : recordText(label);
}
