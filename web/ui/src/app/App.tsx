import { MantineProvider } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Router } from 'wouter';
import { useLive } from '@/api/live';
import { queryClient } from '@/api/query_client';
import { useIdle } from '@/shared/idle';
import { nonce } from '@/shared/nonce';
import { Pages } from './Pages';
import { search } from './search';
import { Shell } from './Shell';
import { theme } from './theme';
import { useTokenWanted } from './token_wanted';

const Late = lazy(() => import('./Late'));

function Page() {
  const wanted = useTokenWanted();
  const idle = useIdle();
  useLive(!wanted);
  useHotkeys([['mod+K', () => void search()]]);
  return (
    <>
      <Shell><Pages /></Shell>
      {(wanted || idle) && <Suspense fallback={null}><Late /></Suspense>}
    </>
  );
}

export function App() {
  return (
    // index.html has the styles of the theme (still_shell.ts).
    <MantineProvider theme={theme} withCssVariables={false} withGlobalClasses={false} defaultColorScheme="auto" getStyleNonce={nonce}>
      <QueryClientProvider client={queryClient}>
        <Router base={import.meta.env.BASE_URL.replace(/\/$/, '')}><Page /></Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
