import { Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

/** The heading of a screen, which is also the title of the document, and what belongs beside it. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="page-head">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children}
    </div>
  );
}
