import { BrowserRouter } from 'react-router';
import { createQueries } from '../api/queries.ts';
import { renderPage } from '../ui/page-root.tsx';
import { App } from './app.tsx';
import { SessionProvider } from './session.tsx';

void renderPage(
  createQueries(),
  <BrowserRouter basename="/app">
    <SessionProvider>
      <App />
    </SessionProvider>
  </BrowserRouter>,
);
