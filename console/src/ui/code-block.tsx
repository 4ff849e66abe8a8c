import { visibleText } from './format.ts';
import './code-block.css';

/** A text with its own spaces and lines: a note, a body or a record. Characters that would hide or reorder its parts are shown as codes. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <pre className="code-block" tabIndex={0} role="region" aria-label={label}>
      {visibleText(text)}
    </pre>
  );
}
