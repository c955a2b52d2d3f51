import { Button, Checkbox, Group, Paper } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useDebouncedValue } from '@mantine/hooks';
import type { Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { DefinitionDifferences } from '../DefinitionDifferences';
import { ErrorBox } from '@/shared/ErrorBox';
import { useProblemWords } from '@/shared/problems';
import { differences } from '@/shared/differences';
import { Section } from '@/shared/Section';
import type { Finding } from '@/features/payload/findings';
import { Findings } from '@/features/payload/Findings';
import { misfitOf } from '@/features/payload/misfit';
import { targetOf, useHandler } from '@/features/payload/queries';
import { useSave } from '../changes';
import { useTaskDefaults } from '../queries';
import { About, Target } from './Basics';
import { faultOf, FaultsProvider, type Faults } from './faults';
import { OrderAndContext, PayloadInput } from './Input';
import { Policies } from './Policies';
import { policiesDraftOf } from './policies_draft';
import { ScheduleBuilder } from './ScheduleBuilder';
import { offered } from './schedule_draft';
import { viewerZone } from '@/shared/viewer_zone';
import { comparable, definitionOf, faultsOf, type TaskDraft } from './task_draft';

interface Props {
  start: TaskDraft;
  /** The task that is edited; absent for a new one. */
  task?: Task;
}

/** Brings the first field that is wrong into view, once the section that holds it is open. */
function useFirstFault(faults: Faults) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(faults).length === 0) return undefined;
    const later = setTimeout(() => {
      const first = form.current?.querySelector<HTMLElement>('input[aria-invalid="true"], textarea[aria-invalid="true"]') ?? form.current?.querySelector<HTMLElement>('[role="alert"]');
      first?.focus();
      first?.scrollIntoView({ block: 'center' });
    }, 250);
    return () => clearTimeout(later);
  }, [faults]);
  return form;
}

function useDraft(start: TaskDraft) {
  const [draft, setDraft] = useState(start);
  return { draft, change: (part: Partial<TaskDraft>) => setDraft((before) => ({ ...before, ...part })) };
}

/** The handler that gets the payload, once its names are typed: each partly typed name would be requested otherwise. */
function useTarget({ project, service, handler }: TaskDraft) {
  const [rested] = useDebouncedValue(JSON.stringify([project.trim(), service.trim(), handler.trim()]), 300);
  const [ofProject = '', ofService = '', name = ''] = JSON.parse(rested) as string[];
  const target = targetOf({ project: ofProject, service: ofService, handler: name });
  return { target, schema: useHandler(target)?.schema };
}

export function TaskForm({ start, task }: Props) {
  const { t } = useTranslation(['taskForm', 'shared']);
  const [, go] = useLocation();
  const { draft: entered, change } = useDraft(start);
  const [faults, setFaults] = useState<Faults>({});
  const [reviewing, review] = useState(false);
  const [misfit, setMisfit] = useState<Finding[]>([]);
  const { mutate, isPending, error, reset } = useSave();
  const form = useFirstFault(faults);
  const words = useProblemWords();
  const { target, schema } = useTarget(entered);
  const { service } = target;
  const { data: defaults } = useTaskDefaults(entered.project.trim(), service);
  const draft = { ...entered, schedule: offered(entered.schedule, service === '' ? undefined : defaults?.zone, viewerZone()) };
  const back = task ? `/tasks/${task.id}` : '/tasks';
  const policies = { draft, defaults: policiesDraftOf(defaults ?? {}), fresh: !task, change };
  const changes = task ? comparable(start, draft) : undefined;
  const unchanged = changes !== undefined && differences(changes.before, changes.after).length === 0;

  function save() {
    mutate({ definition: definitionOf(draft, task ? start : undefined), ...(task ? { task } : {}) }, {
      onSuccess: (saved) => {
        notifications.show({ message: t(task ? 'saved' : 'created', { name: saved.name }), color: 'teal' });
        for (const note of saved.notes ?? []) if (note.kind === 'policy') notifications.show({ message: words(note.text), color: 'orange', autoClose: false });
        go(`/tasks/${saved.id}`);
      },
      onError: (refusal) => {
        review(false);
        setFaults(faultOf(refusal, words));
      },
    });
  }
  async function submit(event: FormEvent) {
    event.preventDefault();
    reset();
    const found = Object.fromEntries(Object.entries(faultsOf(draft)).map(([name, fault]) => [name, t(`fault.${fault ?? 'needed'}`)]));
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    const misfits = await misfitOf(schema, draft.payload);
    setMisfit(misfits);
    if (task || misfits.length > 0) review(true);
    else save();
  }
  return (
    <FaultsProvider value={faults}>
      <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
        <Section title={t('section.target')}><Target draft={draft} change={change} /></Section>
        <Section title={t('section.schedule')}>
          <ScheduleBuilder draft={draft.schedule} project={draft.project.trim()} name={draft.name.trim()} service={service} task={task?.id} change={(part) => change({ schedule: { ...draft.schedule, ...part } })} />
        </Section>
        <Section title={t('section.payload')}><PayloadInput draft={draft} target={target} change={change} /></Section>
        <Section title={t('section.policies')}>
          <Policies {...policies} />
          <OrderAndContext {...policies} />
        </Section>
        <Section title={t('section.about')}><About draft={draft} change={change} /></Section>
        <ErrorBox error={reviewing ? null : error} />
        <Paper withBorder radius="md" p="md" pos="sticky" bottom={0} style={{ zIndex: 10 }} shadow="md">
          <Group justify="space-between">
            <Checkbox label={t('enabled')} checked={draft.enabled} onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })} />
            <Group>
              <Button variant="default" onClick={() => go(back)}>{t('shared:cancel')}</Button>
              <Button type="submit" loading={isPending} disabled={unchanged}>{t(task ? 'review' : 'create')}</Button>
            </Group>
          </Group>
        </Paper>
      </form>
      {changes && (
        <ConfirmDialog opened={reviewing} title={t('review_title', { name: start.name })} text={t('review_help')} confirm={t('shared:save')} busy={isPending} onConfirm={save} onClose={() => review(false)}>
          {misfit.length > 0 && <Findings of={{ findings: misfit }} handler={target.handler} />}
          <DefinitionDifferences before={changes.before} after={changes.after} />
        </ConfirmDialog>
      )}
      {!changes && (
        <ConfirmDialog opened={reviewing} title={t('misfit_title')} confirm={t('misfit_confirm')} busy={isPending} onConfirm={save} onClose={() => review(false)}>
          <Findings of={{ findings: misfit }} handler={target.handler} />
        </ConfirmDialog>
      )}
    </FaultsProvider>
  );
}
