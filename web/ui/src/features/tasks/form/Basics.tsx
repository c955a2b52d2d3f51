import { Alert, Autocomplete, SimpleGrid, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useProjectNames } from '@/api/projects';
import { HandlerField } from '@/features/payload/HandlerField';
import { useHandlers } from '@/features/payload/queries';
import { useServiceNames } from '../queries';
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
  const [project] = useDebouncedValue(draft.project.trim(), 300);
  const [service] = useDebouncedValue(draft.service.trim(), 300);
  const services = useServiceNames(project);
  const { data: handlers } = useHandlers(project, service);
  const handler = draft.handler.trim();
  const chosen = draft.service.trim() === service && draft.project.trim() === project && handler !== '';
  const unserved = handlers !== undefined && chosen && !handlers.some((one) => one.handler === handler);
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={t('name')} description={t('name_help')} error={useFault('name')} value={draft.name} required maxLength={190} onChange={({ currentTarget }) => change({ name: currentTarget.value })} />
        <Autocomplete label={t('project')} description={t('project_help')} error={useFault('project')} value={draft.project} data={unique(['default', ...(projects.data ?? [])])} required onChange={(next) => change({ project: next })} />
        <Autocomplete label={t('service')} description={t('service_help')} error={useFault('service')} value={draft.service} data={services.data ?? []} required onChange={(next) => change({ service: next })} />
        <HandlerField project={project} service={service} label={t('handler')} help={t('handler_help')} error={useFault('handler')} value={draft.handler} onChange={(next) => change({ handler: next })} />
      </SimpleGrid>
      {unserved && <Alert color="yellow" p="xs"><Text size="sm">{t('unserved', { service, handler })}</Text></Alert>}
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
