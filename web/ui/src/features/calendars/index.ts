import { lazy } from 'react';
import type { Feature } from '@/app/feature';
import { IconCalendar } from '@/shared/icons';

const calendars: Feature = {
  name: 'calendars',
  navigation: { path: '/calendars', icon: IconCalendar, order: 45 },
  routes: [
    { path: '/calendars', page: lazy(() => import('./CalendarsPage')) },
    { path: '/calendars/:id', page: lazy(() => import('./CalendarPage')) },
  ],
};
export default calendars;
