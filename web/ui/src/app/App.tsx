import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { useLive } from '@/api/live';
import { queryClient } from '@/api/query_client';
import { nonce } from '@/shared/nonce';
import { Pages } from './Pages';
import { Palette } from './Palette';
import { Shell } from './Shell';
import { theme, variables } from './theme';
import { TokenDialog, useTokenWanted } from './TokenDialog';

function Page() {
  useLive(!useTokenWanted());
  return (
    <>
      <Shell><Pages /></Shell>
      <Palette />
      <TokenDialog />
    </>
  );
}

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto" getStyleNonce={nonce}>
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <Router base={import.meta.env.BASE_URL.replace(/\/$/, '')}><Page /></Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
