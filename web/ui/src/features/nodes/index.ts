import { IconServer } from '@/shared/icons';
import { lazy } from 'react';
import type { Feature } from '@/app/feature';

const nodes: Feature = {
  name: 'nodes',
  navigation: { path: '/nodes', icon: IconServer, order: 60 },
  routes: [{ path: '/nodes', page: lazy(() => import('./NodesPage')) }],
};
export default nodes;
