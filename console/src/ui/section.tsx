import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A framed part of a page with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
