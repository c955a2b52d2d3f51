import { Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Execution, ExecutionWithAttempts } from '@/api/types';
import { DefinitionDifferences } from '@/features/tasks/DefinitionDifferences';
import { Instance } from '@/shared/Instance';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { StateBadge } from '@/shared/StateBadge';
import { between } from '@/shared/time';
import { Duration, ExactTime } from '@/shared/Times';
import { useAttempts } from './columns';
import { useLastSuccess, useTwoVersions } from './queries';

type Ran = Pick<Execution, 'scheduled_at' | 'ended_at' | 'state' | 'attempt' | 'max_attempts' | 'deaths' | 'task_version'> & { started: string | null; client: string | null };

function useLines(): { label: string; value: (ran: Ran) => ReactNode }[] {
  const { t } = useTranslation('executions');
  const attempts = useAttempts();
  return [
    { label: t('state'), value: ({ state }) => <StateBadge state={state} /> },
    { label: t('scheduled'), value: ({ scheduled_at: at }) => <ExactTime at={at} /> },
    { label: t('lag'), value: (ran) => <Duration ms={between(ran.scheduled_at, ran.started)} /> },
    { label: t('took'), value: (ran) => <Duration ms={between(ran.started, ran.ended_at)} /> },
    { label: t('attempt'), value: attempts },
    { label: t('client'), value: ({ client }) => (client ? <Instance name={client} /> : '–') },
    { label: t('version'), value: ({ task_version: version }) => version },
  ];
}

function Definitions({ task, before, after }: { task: string; before: number; after: number }) {
  const { t } = useTranslation('executions');
  const [old, present] = useTwoVersions(task, [before, after]).data ?? [];
  if (before === after) return <Text size="sm" c="dimmed" mt="sm">{t('compare.same_version')}</Text>;
  if (!old || !present) return null;
  return (
    <>
      <Text size="sm" fw={600} mt="md" mb="xs">{t('compare.changed', { before, after })}</Text>
      <DefinitionDifferences before={old} after={present} />
    </>
  );
}

/** What differs from the last execution of the task that went well. For one that went well itself there is nothing to find. */
export function LastSuccess({ one }: { one: ExecutionWithAttempts }) {
  const { t } = useTranslation('executions');
  const { data: success } = useLastSuccess(one.task, one.parent !== null);
  const lines = useLines();
  if (!success || success.id === one.id) return null;
  const here: Ran = { ...one, started: one.started_at, client: one.attempts.at(-1)?.client ?? null };
  const there: Ran = { ...success, started: success.started_at, client: success.first_attempt.client };
  return (
    <Section title={t('compare.title')} actions={<Link to={`/executions/${success.id}`} size="sm">{t('compare.show')}</Link>}>
      <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} pos="relative">
        <Table aria-label={t('compare.title')}>
          <Table.Thead>
            <Table.Tr><Table.Th><VisuallyHidden>{t('compare.what')}</VisuallyHidden></Table.Th><Table.Th>{t('compare.this')}</Table.Th><Table.Th>{t('compare.success')}</Table.Th></Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ label, value }) => (
              <Table.Tr key={label}><Table.Th fw={400} c="dimmed">{label}</Table.Th><Table.Td>{value(here)}</Table.Td><Table.Td>{value(there)}</Table.Td></Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Definitions task={one.task} before={success.task_version} after={one.task_version} />
    </Section>
  );
}
