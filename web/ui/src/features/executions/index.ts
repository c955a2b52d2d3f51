import { IconActivity } from '@/shared/icons';
import { lazy } from 'react';
import type { Feature } from '@/app/feature';

const executions: Feature = {
  name: 'executions',
  navigation: { path: '/executions', icon: IconActivity, order: 20 },
  routes: [
    { path: '/executions', page: lazy(() => import('./ExecutionsPage')) },
    { path: '/executions/:id', page: lazy(() => import('./ExecutionPage')) },
  ],
};
export default executions;
