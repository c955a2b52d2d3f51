import { Badge, Skeleton, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Scope, useScope } from '@/api/scopes';
import type { Pause } from '@/api/types';
import { ErrorBox } from '@/shared/ErrorBox';
import { PageHeader } from '@/shared/PageHeader';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { PauseActions } from './PauseActions';
import { PauseBanner } from './PauseBanner';
import { Settings } from './Settings';

function Pauses({ pauses }: { pauses: Pause[] }) {
  const { t } = useTranslation('scopes');
  if (pauses.length === 0) return <Text size="sm" c="dimmed">{t('never_paused')}</Text>;
  return (
    <Timeline bulletSize={14} lineWidth={2} active={-1}>
      {pauses.map((pause) => (
        <Timeline.Item key={pause.begun_at + pause.of} title={pause.reason}>
          <Text size="sm" c="dimmed" component="div">
            {`${pause.begun_by ? t('paused_by', { by: pause.begun_by }) : t('paused')} · `}<RelativeTime at={pause.begun_at} />
            {pause.ended_at && <>{` · ${pause.ended_by ? t('resumed_by', { by: pause.ended_by }) : t('resumed')} · `}<RelativeTime at={pause.ended_at} /></>}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

/** A service or a project: whether it is paused, its settings, and what a page adds as `children`. */
export function ScopePage({ scope, summary, children }: { scope: Scope; summary: ReactNode; children?: ReactNode }) {
  const { t } = useTranslation('scopes');
  const { data, error, refetch } = useScope(scope);
  if (error && !data) return <ErrorBox error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} />;
  const { paused, pauses } = data;
  return (
    <>
      <PageHeader
        title={scope.service ?? scope.project} summary={summary} actions={<PauseActions scope={scope} paused={paused} />}
        badge={paused && <Badge color="yellow" variant="light" tt="none">{t('paused')}</Badge>}
      />
      {paused && <PauseBanner scope={scope} pause={paused} />}
      {children}
      <Settings scope={scope} />
      <Section title={t('pauses')}><Pauses pauses={pauses} /></Section>
    </>
  );
}
