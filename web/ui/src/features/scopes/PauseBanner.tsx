import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Scope } from '@/api/scopes';
import type { Pause } from '@/api/types';
import { Link } from '@/shared/Link';
import { RelativeTime } from '@/shared/Times';
import { useOpen } from './queries';

/** How many executions go on, and how many wait for the end of the pause. */
function UnderWay({ scope }: { scope: Scope }) {
  const { t, i18n } = useTranslation('scopes');
  const { data } = useOpen(scope);
  if (!data) return null;
  const list = `/executions?project=${encodeURIComponent(scope.project)}${scope.service === undefined ? '' : `&service=${encodeURIComponent(scope.service)}`}&state=`;
  const text = (count: number) => `${count.toLocaleString(i18n.language)}${data.more ? '+' : ''}`;
  return (
    <Text size="sm">
      {data.running > 0 && <Link to={`${list}running,stopping`} size="sm">{t('open.running', { count: data.running, n: text(data.running) })}</Link>}
      {data.running > 0 && data.waiting > 0 && ' · '}
      {data.waiting > 0 && <Link to={`${list}waiting,retrying`} size="sm">{t('open.waiting', { count: data.waiting, n: text(data.waiting) })}</Link>}
      {data.running + data.waiting === 0 && t('open.none')}
    </Text>
  );
}

/** Why a service or project is paused, since when and by whom, and what is still under way. */
export function PauseBanner({ scope, pause }: { scope: Scope; pause: Pause }) {
  const { t } = useTranslation('scopes');
  return (
    <Alert color="yellow" mb="md" title={t(`paused_of.${pause.of}`)}>
      <Text size="sm">{pause.reason}</Text>
      <Text size="sm" component="div">
        {`${pause.begun_by ? t('paused_by', { by: pause.begun_by }) : t('paused')} · `}<RelativeTime at={pause.begun_at} />{` · ${t(`firings.${pause.firings}`)}`}
      </Text>
      <UnderWay scope={scope} />
    </Alert>
  );
}
