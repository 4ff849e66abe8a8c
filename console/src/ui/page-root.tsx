import { MantineProvider, mergeThemeOverrides, Notification } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import '../theme/styles.ts';
import { inLanguage } from './language.ts';
import { theme } from '../theme/theme.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { loadTexts } from './loaded-german.ts';

const T = inLanguage({ close: ['Close the message', 'Meldung schließen'] });

/** The theme with texts in the language of the page; the style sheet is built from the theme without them. */
const themeWithTexts = mergeThemeOverrides(theme, {
  components: {
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': T.close } } }),
  },
});

/**
 * Renders a page into the HTML document, after `ready` and when the texts of its language are loaded. Styles that Mantine would
 * write at runtime are part of the style sheet.
 */
export async function renderPage(
  queries: QueryClient,
  page: ReactNode,
  ready?: Promise<unknown>,
): Promise<void> {
  await Promise.all([loadTexts(), ready]);
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={themeWithTexts}
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
