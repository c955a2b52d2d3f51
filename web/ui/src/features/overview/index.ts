import { lazy } from 'react';
import type { Feature } from '@/app/feature';
import { IconHome } from '@/shared/icons';

const overview: Feature = {
  name: 'overview',
  navigation: { path: '/', icon: IconHome, order: 0 },
  routes: [{ path: '/', page: lazy(() => import('./OverviewPage')) }],
};
export default overview;
