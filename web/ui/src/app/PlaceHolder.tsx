import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { PageHeader } from '@/shared/PageHeader';
import { places } from './features';

/** The heading of a page of the navigation, while the page itself loads. */
export function PlaceHolder() {
  const { t } = useTranslation(['shell', 'tasks']);
  const [location] = useLocation();
  const place = places.find(({ path }) => path === location);
  return (
    <>
      {place && <PageHeader title={t(`${place.name}:title` as 'tasks:title')} />}
      <Skeleton height={320} data-loading />
    </>
  );
}
