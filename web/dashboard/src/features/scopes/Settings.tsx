import { Button, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Scope, useChangeSettings, useSettings } from '@/api/scopes';
import type { ServiceSettings } from '@/api/types';
import { ErrorBox } from '@/shared/ErrorBox';
import { JsonField, jsonText, readJson } from '@/shared/JsonField';
import { Section } from '@/shared/Section';
import { draftOf, settingsOf } from './limits';

function Form({ scope, settings, tag }: { scope: Scope; settings: ServiceSettings; tag: string | null }) {
  const { t } = useTranslation(['scopes', 'shared']);
  const [draft, setDraft] = useState(draftOf(settings));
  const [defaults, setDefaults] = useState(jsonText(settings.defaults ?? {}));
  const { mutate, isPending, error } = useChangeSettings(scope);
  const read = readJson(defaults);
  const set = (name: keyof typeof draft) => (value: string | number) => setDraft({ ...draft, [name]: Number(value) || 0 });
  function save() {
    if ('reason' in read) return;
    const next = settingsOf(settings, draft, read.value as ServiceSettings['defaults']);
    mutate({ settings: next, tag }, { onSuccess: () => notifications.show({ message: t('settings.saved'), color: 'teal' }) });
  }
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput label={t('settings.concurrency')} description={t('settings.concurrency_help')} value={draft.concurrency} min={0} onChange={set('concurrency')} />
        <NumberInput label={t('settings.rate')} description={t('settings.rate_help')} value={draft.rate} min={0} onChange={set('rate')} />
        <NumberInput label={t('settings.per')} description={t('settings.per_help')} value={draft.perSeconds} min={1} disabled={draft.rate === 0} onChange={set('perSeconds')} />
      </SimpleGrid>
      <JsonField label={t('settings.defaults')} value={defaults} onChange={setDefaults} />
      <Text size="sm" c="dimmed">{t('settings.defaults_help')}</Text>
      {'reason' in read && <Text size="sm" c="red" role="alert">{t('shared:json_invalid', { reason: read.reason })}</Text>}
      <ErrorBox error={error} />
      <Group><Button onClick={save} loading={isPending}>{t('shared:save')}</Button></Group>
    </Stack>
  );
}

export function Settings({ scope }: { scope: Scope }) {
  const { t } = useTranslation('scopes');
  const { data, error, refetch } = useSettings(scope);
  return (
    <Section title={t('settings.title')}>
      <ErrorBox error={error} retry={() => void refetch()} />
      {data && <Form key={data.data.version} scope={scope} settings={data.data.settings} tag={data.tag} />}
    </Section>
  );
}
