import { Button } from '@mantine/core';
import { useState } from 'react';
import { inLanguage } from './language.ts';

const SHOWN_MS = 1500;
const T = inLanguage({ copy: ['Copy', 'Kopieren'], copied: ['Copied', 'Kopiert'] });

export function CopyButton({ value, label }: { value: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${T.copy}: ${label}`}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{isCopied ? T.copied : T.copy}</span>
    </Button>
  );
}
