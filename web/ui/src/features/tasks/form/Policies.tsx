import { Accordion, Badge, Button, Group as Row, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDuration } from '@/shared/Times';
import { faultAt, useFaults } from './faults';
import { filled, faultNames, members, ownAfter, withDefaults } from './policy_groups';
import { PolicyFields } from './PolicyFields';
import { type PoliciesDraft } from './policies_draft';
import { groups, wordsOf, type Group } from './policy_words';
import type { TaskDraft } from './task_draft';

export interface PoliciesProps {
  draft: TaskDraft;
  /** What the service, the project or the program has for policies that are not the task's own. */
  defaults: PoliciesDraft;
  /** A new task shows the defaults; one that is edited has its policies already. */
  fresh: boolean;
  change: (part: Partial<TaskDraft>) => void;
}

function useWords() {
  const { t } = useTranslation('taskPolicies');
  const say = useDuration();
  return (group: Group, shown: PoliciesDraft) => wordsOf(group, shown, say).map(({ key, values }) => t(key, values as Record<string, string | number>)).join(' ');
}

function OneGroup({ group, shown, draft, defaults, change }: PoliciesProps & { group: Group; shown: PoliciesDraft }) {
  const { t } = useTranslation('taskPolicies');
  const own = members[group].some((policy) => draft.own.includes(policy));
  return (
    <Stack>
      <Text size="sm" c="dimmed">{`${t(`help.${group}`)} ${t(`default.${group}`)}`}</Text>
      <PolicyFields group={group} draft={shown} change={(part) => change({ policies: { ...shown, ...part }, own: ownAfter(draft.own, part) })} />
      {own && (
        <Button
          variant="subtle" size="xs" style={{ alignSelf: 'flex-start' }}
          onClick={() => change({ policies: withDefaults(shown, members[group], defaults), own: draft.own.filter((policy) => !members[group].includes(policy)) })}
        >
          {t('back_to_default')}
        </Button>
      )}
    </Stack>
  );
}

/** Each group of policies with what it does at present; the fields are inside. */
export function Policies(props: PoliciesProps) {
  const { t } = useTranslation('taskPolicies');
  const words = useWords();
  const faults = useFaults();
  const [open, setOpen] = useState<string[]>([]);
  const { draft, defaults, fresh } = props;
  const shown = fresh ? filled(draft.policies, draft.own, defaults) : draft.policies;
  useEffect(() => {
    const wrong = groups.filter((group) => faultAt(faults, faultNames[group]) !== undefined);
    if (wrong.length > 0) setOpen((before) => [...new Set([...before, ...wrong])]);
  }, [faults]);
  return (
    <Accordion multiple variant="contained" value={open} onChange={setOpen}>
      {groups.map((group) => (
        <Accordion.Item key={group} value={group}>
          <Accordion.Control>
            <Row gap="sm">
              <Text size="sm" fw={600}>{t(`title.${group}`)}</Text>
              {members[group].some((policy) => draft.own.includes(policy)) && <Badge size="sm" variant="light" tt="none">{t('own')}</Badge>}
              {faultAt(faults, faultNames[group]) && <Badge size="sm" color="red" variant="light" tt="none">{t('wrong')}</Badge>}
            </Row>
            <Text size="sm" c="dimmed">{words(group, shown)}</Text>
          </Accordion.Control>
          <Accordion.Panel>{open.includes(group) && <OneGroup {...props} group={group} shown={shown} />}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
