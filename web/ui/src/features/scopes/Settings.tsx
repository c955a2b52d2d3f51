import { Alert, Autocomplete, Button, Group, NumberInput, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { versionTag } from '@/api/client';
import { type Scope, useChangeSettings, useSettings } from '@/api/scopes';
import type { ServiceSettings } from '@/api/types';
import { differences } from '@/shared/differences';
import { ErrorBox } from '@/shared/ErrorBox';
import { JsonField, jsonText, readJson, useJsonFault } from '@/shared/JsonField';
import { Section } from '@/shared/Section';
import { zoneNames, zonesLike } from '@/shared/zones';
import type { Context } from '@/features/tasks/form/policies_draft';
import { ApplyDefaults } from './ApplyDefaults';
import { type Draft, draftOf, furtherDefaults, type Known, nextOf, settingsOf, through } from './limits';

interface Part {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

function Limits({ draft, change }: Part) {
  const { t } = useTranslation('scopes');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} style={{ alignItems: 'end' }}>
      <NumberInput label={t('settings.concurrency')} description={t('settings.concurrency_help')} value={draft.concurrency} min={0} onChange={(value) => change({ concurrency: Number(value) || 0 })} />
      <NumberInput label={t('settings.rate')} description={t('settings.rate_help')} value={draft.rate} min={0} onChange={(value) => change({ rate: Number(value) || 0 })} />
      <NumberInput label={t('settings.per')} description={t('settings.per_help')} value={draft.perSeconds} min={1} disabled={draft.rate === 0} onChange={(value) => change({ perSeconds: Number(value) || 1 })} />
      <NumberInput label={t('settings.burst')} description={t('settings.burst_help')} placeholder={t('settings.by_rate')} value={draft.burst} min={1} disabled={draft.rate === 0} onChange={(value) => change({ burst: numberOf(value) })} />
    </SimpleGrid>
  );
}

function numberOf(value: string | number): number | '' {
  return value === '' ? '' : Number(value);
}

function DefaultFields({ draft, change }: Part) {
  const { t } = useTranslation(['scopes', 'taskForm']);
  const built = t('settings.built_in');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} style={{ alignItems: 'end' }}>
      <NumberInput label={t('settings.attempts')} placeholder={built} value={draft.attempts} min={1} onChange={(value) => change({ attempts: numberOf(value) })} />
      <NumberInput label={t('settings.retry')} placeholder={built} value={draft.retrySeconds} min={0} onChange={(value) => change({ retrySeconds: numberOf(value) })} />
      <NumberInput label={t('settings.time_limit')} placeholder={built} value={draft.limitSeconds} min={0} onChange={(value) => change({ limitSeconds: numberOf(value) })} />
      <Autocomplete label={t('settings.zone')} placeholder={built} value={draft.zone} onChange={(zone) => change({ zone })} data={zoneNames()} limit={30} filter={zonesLike} />
      <NumberInput label={t('settings.task_rate')} description={t('settings.task_rate_help')} placeholder={built} value={draft.taskRate} min={0} onChange={(value) => change({ taskRate: numberOf(value), taskBurst: undefined })} />
      <NumberInput label={t('settings.per')} description={t('settings.per_help')} value={draft.taskPerSeconds} min={1} disabled={!draft.taskRate} onChange={(value) => change({ taskPerSeconds: Number(value) || 1, taskBurst: undefined })} />
      <NumberInput label={t('taskForm:priority')} description={t('settings.priority_help')} placeholder={built} value={draft.priority} min={-100} max={100} onChange={(value) => change({ priority: numberOf(value) })} />
      <ContextField draft={draft} change={change} />
    </SimpleGrid>
  );
}

/** None, and nothing at all, are two choices: a task of a service may be told less than those of its project. */
function ContextField({ draft, change }: Part) {
  const { t } = useTranslation(['scopes', 'taskForm']);
  const choices: { value: string; label: string; context: Context[] }[] = [
    { value: 'none', label: t('settings.context_none'), context: [] },
    { value: 'previous', label: t('taskForm:context_previous'), context: ['previous'] },
    { value: 'last_success', label: t('taskForm:context_last_success'), context: ['last_success'] },
    { value: 'both', label: t('settings.context_both'), context: ['previous', 'last_success'] },
  ];
  const chosen = choices.find(({ context }) => draft.context && context.join() === draft.context.join());
  return (
    <Select
      label={t('taskForm:context')} placeholder={t('settings.built_in')} clearable value={chosen?.value ?? null} data={choices.map(({ value, label }) => ({ value, label }))}
      onChange={(value) => change({ context: choices.find((one) => one.value === value)?.context })}
    />
  );
}

type Defaults = NonNullable<ServiceSettings['defaults']>;

/** The form of one version, and its warning when another person saves another version. */
function useForm(present: Known) {
  const [base, setBase] = useState(present);
  const [draft, setDraft] = useState(draftOf(base.settings));
  const [further, setFurther] = useState(jsonText(furtherDefaults(base.settings)));
  const read = readJson(further);
  const entered = 'value' in read ? settingsOf(draft, read.value as Defaults) : undefined;
  const step = nextOf(base, present, entered);
  function take(next: Known) {
    setBase(next);
    setDraft(draftOf(next.settings));
    setFurther(jsonText(furtherDefaults(next.settings)));
  }
  if (step === 'take') take(present);
  return { base, draft, change: (part: Partial<Draft>) => setDraft({ ...draft, ...part }), further, setFurther, read, entered, take, overtaken: step === 'warn' };
}

function Form({ scope, present }: { scope: Scope; present: Known }) {
  const { t } = useTranslation(['scopes', 'shared']);
  const { base, draft, change, further, setFurther, read, entered, take, overtaken } = useForm(present);
  const { mutate, isPending, error, reset } = useChangeSettings(scope);
  const jsonFault = useJsonFault();
  const warned = overtaken && !isPending;
  function save() {
    if (!entered) return;
    mutate({ settings: entered, tag: base.version === 0 ? null : versionTag(base.version) }, {
      onSuccess: ({ settings, version }) => {
        take({ settings, version });
        notifications.show({ message: t('settings.saved'), color: 'teal' });
      },
    });
  }
  return (
    <Stack>
      {warned && (
        <Alert color="orange" role="alert">
          <Text size="sm" mb="xs">{t('settings.changed_meanwhile')}</Text>
          <Button size="xs" variant="default" onClick={() => { reset(); take(present); }}>{t('settings.take_present')}</Button>
        </Alert>
      )}
      <Limits draft={draft} change={change} />
      <div>
        <Title order={3} size="h5">{t('settings.defaults')}</Title>
        <Text size="sm" c="dimmed">{t('settings.defaults_help')}</Text>
      </div>
      <DefaultFields draft={draft} change={change} />
      <JsonField label={t('settings.further')} value={further} onChange={setFurther} />
      {'reason' in read && <Text size="sm" c="red" role="alert">{jsonFault(read.reason, further)}</Text>}
      <ErrorBox error={error} />
      <Group><Button onClick={save} loading={isPending} disabled={warned}>{t('shared:save')}</Button><ApplyDefaults scope={scope} disabled={warned || !entered || differences(entered, through(base)).length > 0} /></Group>
    </Stack>
  );
}

export function Settings({ scope }: { scope: Scope }) {
  const { t } = useTranslation('scopes');
  const { data, error, refetch } = useSettings(scope);
  return (
    <Section title={t('settings.title')}>
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && <Form key={`${scope.project}/${scope.service ?? ''}`} scope={scope} present={data} />}
    </Section>
  );
}
