import { Alert, Button, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { inLanguage } from './language.ts';

const T = inLanguage({
  title: ['This page has failed', 'Diese Seite ist fehlgeschlagen'],
  reload: ['Load the page again', 'Seite neu laden'],
});

/** Shows the error of a component, so that the page does not become empty. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Alert color="red" title={T.title} m="md" role="alert">
        <Stack align="flex-start">
          {error.message}
          <Button onClick={() => location.reload()}>{T.reload}</Button>
        </Stack>
      </Alert>
    );
  }
}
