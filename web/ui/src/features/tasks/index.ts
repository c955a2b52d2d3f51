import { IconListCheck } from '@/shared/icons';
import { lazy } from 'react';
import type { Feature } from '@/app/feature';

const tasks: Feature = {
  name: 'tasks',
  navigation: { path: '/tasks', icon: IconListCheck, order: 10 },
  routes: [
    { path: '/tasks', page: lazy(() => import('./TasksPage')) },
    { path: '/tasks/new', page: lazy(() => import('./NewTaskPage')) },
    { path: '/tasks/:id/edit', page: lazy(() => import('./EditTaskPage')) },
    { path: '/tasks/:id', page: lazy(() => import('./TaskPage')) },
  ],
};
export default tasks;
