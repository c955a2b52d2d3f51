import { Alert, Autocomplete, SimpleGrid, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useProjectNames } from '@/api/projects';
import { useServed } from '../queries';
import { useFault } from './faults';
import type { TaskDraft } from './task_draft';

interface Props {
  draft: TaskDraft;
  change: (part: Partial<TaskDraft>) => void;
}

const unique = (names: string[]) => [...new Set(names)].sort();

/** Which handler runs, with what the live clients serve to choose from. */
export function Target({ draft, change }: Props) {
  const { t } = useTranslation('taskForm');
  const projects = useProjectNames();
  const { data: served } = useServed();
  const inProject = (served ?? []).filter(({ project }) => project === draft.project);
  const services = unique(inProject.map(({ service }) => service));
  const handlers = unique(inProject.filter(({ service }) => service === draft.service.trim()).flatMap((one) => one.handlers));
  const chosen = draft.service.trim() !== '' && draft.handler.trim() !== '';
  const unserved = served !== undefined && chosen && !handlers.includes(draft.handler.trim());
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={t('name')} description={t('name_help')} error={useFault('name')} value={draft.name} required maxLength={190} onChange={({ currentTarget }) => change({ name: currentTarget.value })} />
        <Autocomplete label={t('project')} description={t('project_help')} error={useFault('project')} value={draft.project} data={unique(['default', ...(projects.data ?? [])])} required onChange={(project) => change({ project })} />
        <Autocomplete label={t('service')} description={t('service_help')} error={useFault('service')} value={draft.service} data={services} required onChange={(service) => change({ service })} />
        <Autocomplete label={t('handler')} description={t('handler_help')} error={useFault('handler')} value={draft.handler} data={handlers} required onChange={(handler) => change({ handler })} />
      </SimpleGrid>
      {unserved && <Alert color="yellow" p="xs"><Text size="sm">{t('unserved', { service: draft.service, handler: draft.handler })}</Text></Alert>}
    </Stack>
  );
}

/** What people know the task by. */
export function About({ draft, change }: Props) {
  const { t } = useTranslation('taskForm');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Textarea label={t('description')} error={useFault('description')} value={draft.description} autosize minRows={1} maxRows={6} maxLength={2000} onChange={({ currentTarget }) => change({ description: currentTarget.value })} />
      <TextInput label={t('owner')} description={t('owner_help')} error={useFault('owner')} value={draft.owner} maxLength={100} onChange={({ currentTarget }) => change({ owner: currentTarget.value })} />
      <TagsInput label={t('labels')} description={t('labels_help')} error={useFault('labels')} value={draft.labels} maxTags={32} acceptValueOnBlur onChange={(labels) => change({ labels })} />
    </SimpleGrid>
  );
}
