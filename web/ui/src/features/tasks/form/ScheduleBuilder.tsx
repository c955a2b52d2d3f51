import { Chip, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ModeFields } from './ModeFields';
import { ScheduleLimits } from './ScheduleLimits';
import { modes, repeats, switched, type Mode, type ScheduleDraft } from './schedule_draft';
import { SchedulePreview } from './SchedulePreview';

export interface ScheduleProps {
  draft: ScheduleDraft;
  project: string;
  name: string;
  service: string;
  /** The id of the task that is edited. */
  task?: string | undefined;
  change: (part: Partial<ScheduleDraft>) => void;
}

/** When a task runs, by clicking: first which kind of time, then its fields, beside them what comes of it. */
export function ScheduleBuilder(props: ScheduleProps) {
  const { t } = useTranslation('taskForm');
  const { draft, change } = props;
  return (
    <Stack>
      <Input.Wrapper label={t('mode_label')} role="group" aria-label={t('mode_label')}>
        <Chip.Group multiple={false} value={draft.mode} onChange={(mode) => change(switched(draft, mode as Mode))}>
          <Group gap="xs" mt={4}>
            {modes.map((mode) => <Chip key={mode} value={mode} size="sm" radius="sm">{t(`mode.${mode}`)}</Chip>)}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <Text size="sm" c="dimmed">{t(`mode_help.${draft.mode}`)}</Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Stack>
          <ModeFields {...props} />
          {repeats(draft.mode) && <ScheduleLimits {...props} />}
        </Stack>
        <SchedulePreview {...props} />
      </SimpleGrid>
    </Stack>
  );
}
