import { Button, Group, List, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Letters, type Resolve, type Resolved, useResolve } from './queries';
import { ResolveDialog } from './ResolveDialog';

const done = ['retried', 'dismissed'];
const mostShown = 20;

/** What became of them, above all of those that could not be dealt with. */
function Outcome({ resolved: { items, more } }: { resolved: Resolved }) {
  const { t } = useTranslation('deadLetters');
  const left = items.filter(({ outcome }) => !done.includes(outcome));
  return (
    <>
      <Text size="sm" mb="sm">{t('resolved', { count: items.length - left.length })}{more && ` ${t('more')}`}</Text>
      {left.length > 0 && (
        <List size="sm" mb="sm">
          {left.slice(0, mostShown).map(({ execution, outcome }) => <List.Item key={execution}>{`${execution}: ${t(`outcome.${outcome}`)}`}</List.Item>)}
          {left.length > mostShown && <List.Item>{t('further', { count: left.length - mostShown })}</List.Item>}
        </List>
      )}
    </>
  );
}

interface Props {
  executions: string[];
  /** Those that are meant while none is chosen; null while there is none. */
  all: Letters | null;
  clear: () => void;
}

/** Retry or dismiss: for the chosen ones, or for all that the list stands for. */
export function ResolveBar({ executions, all, clear }: Props) {
  const { t } = useTranslation(['deadLetters', 'shared']);
  const [asked, ask] = useState<{ how: Resolve; of: Letters } | null>(null);
  const { mutate, data, isPending, error, reset } = useResolve();
  const of = executions.length > 0 ? { executions } : all;
  const kind = executions.length > 0 ? 'action' : 'action_all';
  function close() {
    ask(null);
    if (error) reset();
  }
  return (
    <div aria-live="polite">
      {of && (
        <Paper withBorder p="xs" mb="sm" radius="md">
          <Group>
            {executions.length > 0 && <Text size="sm" fw={600}>{t('shared:selected', { count: executions.length })}</Text>}
            <Button size="xs" variant={executions.length > 0 ? 'filled' : 'default'} onClick={() => ask({ how: 'retry', of })}>{t(`${kind}.retry`)}</Button>
            <Button size="xs" variant="default" onClick={() => ask({ how: 'dismiss', of })}>{t(`${kind}.dismiss`)}</Button>
          </Group>
        </Paper>
      )}
      {data && <Outcome resolved={data} />}
      {asked && (
        <ResolveDialog
          {...asked} busy={isPending} error={error} close={close}
          send={(request) => mutate(request, { onSuccess: () => { clear(); ask(null); } })}
        />
      )}
    </div>
  );
}
