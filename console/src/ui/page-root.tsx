import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import '../theme/styles.ts';
import { theme } from '../theme/theme.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { loadTexts } from './error-texts.ts';

/** Renders a page into the HTML document. Styles that Mantine would write at runtime are part of the style sheet. */
export async function renderPage(queries: QueryClient, page: ReactNode): Promise<void> {
  await loadTexts();
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
        deduplicateCssVariables={false}
      >
        <QueryClientProvider client={queries}>
          <ErrorBoundary>{page}</ErrorBoundary>
          <Notifications position="bottom-right" />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
