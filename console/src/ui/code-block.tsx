import { visibleText } from './format.ts';
import './code-block.css';

/** A text that is shown as it is: a note, a body or a record. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <pre className="code-block" tabIndex={0} role="region" aria-label={label}>
      {visibleText(text)}
    </pre>
  );
}
