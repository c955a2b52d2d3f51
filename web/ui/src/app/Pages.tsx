import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Route, Switch, useLocation } from 'wouter';
import { EmptyState } from '@/shared/EmptyState';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { Failure } from './Failure';
import { features } from './features';
import { PlaceHolder } from './PlaceHolder';

function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <>
      <PageHeader title={t('not_found.title')} />
      <EmptyState title={t('not_found.help')} action={<Link to="/">{t('not_found.back')}</Link>} />
    </>
  );
}

export function Pages() {
  const [location] = useLocation();
  return (
    <Failure at={location}>
      <Suspense fallback={<PlaceHolder />}>
        <Switch>
          {features.flatMap(({ routes }) => routes).map(({ path, page: Page }) => (
            // Another thing is another page: none of what the last one showed, or had open, is of this one.
            <Route key={path} path={path}><Page key={location} /></Route>
          ))}
          <Route><NotFound /></Route>
        </Switch>
      </Suspense>
    </Failure>
  );
}
