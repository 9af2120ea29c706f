import '@mantine/core/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/client.js';
import { router } from './router.js';
import { READABLE_COLOURS, THEME } from './theme.js';

/** The content security policy of the page admits styles with the nonce of the response. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

function onProblem(problem: Error): void {
  if (!(problem instanceof ApiProblem) || problem.status !== 401) return;
  const { pathname, search } = window.location;
  if (pathname === '/console/sign-in' || pathname === '/console/invitation') return;
  queries.clear();
  router.navigate({ to: '/sign-in', search: { next: `${pathname}${search}` } });
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: onProblem }),
  mutationCache: new MutationCache({ onError: onProblem }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal is not repeated. A request that got no response is.
      retry: (count, problem) =>
        count < 2 && problem instanceof ApiProblem && (problem.status === 0 || problem.status === 503),
    },
  },
});

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={THEME}
        cssVariablesResolver={READABLE_COLOURS}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
