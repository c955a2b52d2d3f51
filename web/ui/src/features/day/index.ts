import { lazy } from 'react';
import type { Feature } from '@/app/feature';
import { IconBars } from '@/shared/icons';

const day: Feature = {
  name: 'day',
  navigation: { path: '/day', icon: IconBars, order: 25 },
  routes: [{ path: '/day', page: lazy(() => import('./DayPage')) }],
};
export default day;
