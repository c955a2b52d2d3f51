import { queryClient } from '@/api/query_client';
import type { Feature } from '@/app/feature';
import { firstPage } from '@/app/first_page';
import { IconHome } from '@/shared/icons';
import { preferences } from '@/shared/preferences';
import { overviewOf } from './queries';

const { Page, begin } = firstPage(() => import('./OverviewPage'));

function beginAll(): Promise<void> {
  void queryClient.prefetchQuery(overviewOf(preferences().project));
  return begin();
}

const overview: Feature = {
  name: 'overview',
  navigation: { path: '/', icon: IconHome, order: 0 },
  routes: [{ path: '/', page: Page, begin: beginAll }],
};
export default overview;
