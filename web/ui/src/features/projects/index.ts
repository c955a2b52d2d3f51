import { lazy } from 'react';
import type { Feature } from '@/app/feature';
import { IconFolder } from '@/shared/icons';

const projects: Feature = {
  name: 'projects',
  navigation: { path: '/projects', icon: IconFolder, order: 50 },
  routes: [
    { path: '/projects', page: lazy(() => import('./ProjectsPage')) },
    { path: '/projects/:project', page: lazy(() => import('./ProjectPage')) },
  ],
};
export default projects;
