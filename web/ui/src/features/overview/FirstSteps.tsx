import { Code, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconCheck } from '@/shared/icons';
import { Link } from '@/shared/Link';
import type { Overview } from './queries';
import { type Step, stepsOf } from './steps';

const commands = { node: 'baton trigger --config trigger.json', client: 'baton agent --config agent.json' };

function Line({ step, number, next, children }: { step: Step; number: number; next: boolean; children: ReactNode }) {
  const { t } = useTranslation('overview');
  return (
    <Group component="li" gap="md" align="flex-start" wrap="nowrap" aria-current={next ? 'step' : undefined}>
      <ThemeIcon radius="xl" size={28} variant={next ? 'filled' : 'light'} color={step.done ? 'teal' : next ? undefined : 'gray'}>
        {step.done ? <IconCheck size={16} /> : <span aria-hidden="true">{number}</span>}
      </ThemeIcon>
      <Stack gap={4} miw={0}>
        <Text fw={600} c={next || step.done ? undefined : 'dimmed'}>{t(`steps.${step.name}`)}{step.done && <Text span c="dimmed" size="sm">{` · ${t('steps.done')}`}</Text>}</Text>
        {!step.done && children}
      </Stack>
    </Group>
  );
}

/** What a new cluster still needs until something runs. Once each step is done there is nothing. */
export function FirstSteps({ seen: { nodes, clients, tasks } }: { seen: Overview }) {
  const { t } = useTranslation('overview');
  const steps = stepsOf({ nodes: nodes.live, clients: clients.live, tasks: tasks.enabled + tasks.disabled });
  const next = steps.find(({ done }) => !done);
  if (!next) return null;
  const help: Record<Step['name'], ReactNode> = {
    node: <Text size="sm" c="dimmed">{t('steps.node_help')} <Code>{commands.node}</Code></Text>,
    client: <Text size="sm" c="dimmed">{t('steps.client_help')} <Code>{commands.client}</Code></Text>,
    task: <Text size="sm" c="dimmed">{t('steps.task_help')} <Link to="/tasks/new" size="sm">{t('steps.task_link')}</Link></Text>,
  };
  return (
    <Paper component="section" withBorder radius="md" p="lg" mb="md">
      <Title order={2} size="h4">{t('steps.title')}</Title>
      <Text size="sm" c="dimmed" mb="md">{t('steps.intro')}</Text>
      <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
        {steps.map((step, at) => <Line key={step.name} step={step} number={at + 1} next={step === next}>{help[step.name]}</Line>)}
      </Stack>
    </Paper>
  );
}
