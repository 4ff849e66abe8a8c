import { ExportButton } from '../../ui/export-button.tsx';
import { T } from './texts.ts';

interface ExportsProps {
  /** The name of the files without their endings. */
  name: string;
  read: (format: 'csv' | 'journal') => Promise<string>;
}

/** A part of the books as CSV, and as a journal for hledger and Ledger. */
export function Exports({ name, read }: ExportsProps) {
  return (
    <>
      <ExportButton file={`${name}.csv`} read={() => read('csv')} />
      <ExportButton
        file={`${name}.journal`}
        label={T.journal}
        type="text/plain;charset=utf-8"
        read={() => read('journal')}
      />
    </>
  );
}
