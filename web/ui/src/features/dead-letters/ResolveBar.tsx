import { Button, Group, List, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countText, type Letters, type Resolved } from './letters';
import { type Resolve, useResolve } from './queries';
import { ResolveDialog } from './ResolveDialog';

/** What became of them, above all of those that could not be dealt with. */
function Outcome({ resolved: { done, left, refused, remaining } }: { resolved: Resolved }) {
  const { t, i18n } = useTranslation('deadLetters');
  return (
    <>
      <Text size="sm" mb="sm">{t('resolved', { count: done })}{(remaining.count > 0 || remaining.more) && ` ${t('remain', { count: remaining.count, n: countText(remaining, i18n.language) })}`}</Text>
      {left.length > 0 && (
        <List size="sm" mb="sm">
          {left.map(({ execution, outcome }) => <List.Item key={execution}>{`${execution}: ${t(`outcome.${outcome}`)}`}</List.Item>)}
          {refused > left.length && <List.Item>{t('further', { count: refused - left.length })}</List.Item>}
        </List>
      )}
    </>
  );
}

interface Props {
  executions: string[];
  /** The task of all dead letters that are meant; empty if they belong to several tasks. */
  task: string;
  /** Those that are meant while none is chosen; null while there is none. */
  all: Letters | null;
  clear: () => void;
}

/** Retry or dismiss: for the chosen ones, or for all that the list stands for. */
export function ResolveBar({ executions, task, all, clear }: Props) {
  const { t } = useTranslation(['deadLetters', 'shared']);
  const [asked, ask] = useState<{ how: Resolve; of: Letters; task: string } | null>(null);
  const { mutate, data, isPending, error, reset, progress, stop } = useResolve();
  const of = executions.length > 0 ? { executions } : all;
  const kind = executions.length > 0 ? 'action' : 'action_all';
  function close() {
    stop();
    ask(null);
    if (error) reset();
  }
  return (
    <div aria-live="polite">
      {of && (
        <Paper withBorder p="xs" mb="sm" radius="md">
          <Group>
            {executions.length > 0 && <Text size="sm" fw={600}>{t('shared:selected', { count: executions.length })}</Text>}
            <Button size="xs" variant={executions.length > 0 ? 'filled' : 'default'} onClick={() => ask({ how: 'retry', of, task })}>{t(`${kind}.retry`)}</Button>
            <Button size="xs" variant="default" onClick={() => ask({ how: 'dismiss', of, task })}>{t(`${kind}.dismiss`)}</Button>
          </Group>
        </Paper>
      )}
      {data && <Outcome resolved={data} />}
      {asked && (
        <ResolveDialog
          {...asked} busy={isPending} error={error} progress={progress} close={close}
          send={(request) => mutate(request, { onSuccess: () => { clear(); ask(null); } })}
        />
      )}
    </div>
  );
}
