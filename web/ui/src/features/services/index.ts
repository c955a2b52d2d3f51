import { lazy } from 'react';
import type { Feature } from '@/app/feature';
import { IconPlug } from '@/shared/icons';

const services: Feature = {
  name: 'services',
  navigation: { path: '/services', icon: IconPlug, order: 40 },
  routes: [
    { path: '/services', page: lazy(() => import('./ServicesPage')) },
    { path: '/services/:project/:service', page: lazy(() => import('./ServicePage')) },
  ],
};
export default services;
