import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Scope } from '@/api/scopes';
import { DefinitionDifferences } from '@/features/tasks/DefinitionDifferences';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { differences } from '@/shared/differences';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { type Planned, useApply, usePlanned } from './apply_queries';

const mostShown = 50;

function OneTask({ planned: { task, change } }: { planned: Planned }) {
  const { t } = useTranslation('scopes');
  return (
    <div>
      <Link to={`/tasks/${task.id ?? ''}`} size="sm">{task.name}</Link>
      {differences(change.before, change.after).length > 0
        ? <DefinitionDifferences before={change.before} after={change.after} />
        : <Text size="sm" c="dimmed">{t('apply.origins_only')}</Text>}
    </div>
  );
}

function Dialog({ scope, close }: { scope: Scope; close: () => void }) {
  const { t } = useTranslation(['scopes', 'shared']);
  const { data, error, refetch } = usePlanned(scope);
  const { mutate, data: result, isPending } = useApply();
  const count = data?.length ?? 0;
  function apply() {
    if (!data || count === 0 || result) return close();
    mutate(data, {
      onSuccess: ({ done, refused }) => {
        notifications.show({ message: t('apply.done', { count: done }), color: refused.length > 0 ? 'orange' : 'teal' });
        if (refused.length === 0) close();
      },
    });
  }
  return (
    <ConfirmDialog
      opened wide title={t('apply.title', { name: scope.service ?? scope.project })} text={t('apply.help')} busy={isPending} onConfirm={apply} onClose={close}
      confirm={count === 0 || result ? t('shared:close') : t('apply.confirm', { count })}
    >
      <ErrorBox error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton height={80} />}
      {data && count === 0 && <Text size="sm">{t('apply.nothing')}</Text>}
      {result && result.refused.length > 0 && (
        <Alert color="red" role="alert" title={t('apply.refused', { count: result.refused.length })}>
          {result.refused.map(({ name, reason }) => <Text key={name} size="sm">{`${name}: ${reason}`}</Text>)}
        </Alert>
      )}
      {data && !result && (
        <Stack mah={400} style={{ overflowY: 'auto' }}>
          {data.slice(0, mostShown).map((planned) => <OneTask key={planned.task.id} planned={planned} />)}
          {count > mostShown && <Text size="sm" c="dimmed">{t('apply.more', { count: count - mostShown })}</Text>}
        </Stack>
      )}
    </ConfirmDialog>
  );
}

/** Gives the tasks of a service or project its present defaults, where they have no value of their own. Shows first which would change. */
export function ApplyDefaults({ scope, disabled }: { scope: Scope; disabled: boolean }) {
  const { t } = useTranslation('scopes');
  const [asked, ask] = useState(false);
  return (
    <>
      <Button variant="default" disabled={disabled} onClick={() => ask(true)}>{t('apply.do')}</Button>
      {asked && <Dialog scope={scope} close={() => ask(false)} />}
    </>
  );
}
