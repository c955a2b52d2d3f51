import { IconMailX } from '@/shared/icons';
import { lazy } from 'react';
import type { Feature } from '@/app/feature';

const deadLetters: Feature = {
  name: 'deadLetters',
  navigation: { path: '/dead-letters', icon: IconMailX, order: 30 },
  routes: [{ path: '/dead-letters', page: lazy(() => import('./DeadLettersPage')) }],
};
export default deadLetters;
