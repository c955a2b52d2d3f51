import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { useDuration } from '@/shared/Times';
import { members } from './form/policy_groups';
import { groups, wordsOf, type Group } from './form/policy_words';
import { policiesDraftOf } from './form/policies_draft';

type Origin = 'task' | 'service' | 'project' | 'built_in';

/** Where the policies of a group come from, each place once; nothing for what is built in. */
export function originsOf(task: Pick<Task, 'origins'>, group: Group): Origin[] {
  const origins: Partial<Record<string, Origin>> = task.origins ?? {};
  const found = members[group].map((policy) => origins[policy] ?? 'built_in');
  return [...new Set(found)].filter((origin) => origin !== 'built_in');
}

/** Each policy of the task in a sentence. */
export function PoliciesPanel({ task }: { task: Task }) {
  const { t } = useTranslation(['taskPolicies', 'tasks']);
  const say = useDuration();
  const draft = policiesDraftOf(task);
  return (
    <Section title={t('panel')} actions={<Link to={`/tasks/${task.id}/edit`} size="sm">{t('tasks:action.edit')}</Link>}>
      <SimpleGrid component="dl" cols={{ base: 1, sm: 2, lg: 3 }} m={0} spacing="lg">
        {groups.map((group) => (
          <Stack key={group} gap={2}>
            <Text component="dt" size="xs" c="dimmed">{t(`title.${group}`)}</Text>
            <Text component="dd" size="sm" m={0}>
              {wordsOf(group, draft, say).map(({ key, values }) => t(key, values as Record<string, string | number>)).join(' ')}
              {originsOf(task, group).map((origin) => <Text key={origin} span size="sm" c="dimmed">{` (${t(`origin.${origin}`)})`}</Text>)}
            </Text>
          </Stack>
        ))}
      </SimpleGrid>
    </Section>
  );
}
