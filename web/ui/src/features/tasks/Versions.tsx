import { Accordion, Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition, Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { useRollback } from './changes';
import { DefinitionDifferences } from './DefinitionDifferences';
import { useVersions } from './queries';

interface Version {
  version: number;
  definition: Definition;
}

/** What differs between any two of the versions that are listed. */
function Compare({ versions }: { versions: Version[] }) {
  const { t } = useTranslation('tasks');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const newest = String(versions[0]?.version ?? '');
  const before = from || String(versions[1]?.version ?? '');
  const after = to || newest;
  const of = (version: string) => versions.find((one) => String(one.version) === version)?.definition;
  const choices = versions.map(({ version }) => ({ value: String(version), label: `${t('versions.version')} ${version}` }));
  return (
    <Stack gap="sm" mt="lg">
      <Group align="flex-end">
        <NativeSelect label={t('versions.from')} data={choices} value={before} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
        <NativeSelect label={t('versions.to')} data={choices} value={after} onChange={({ currentTarget }) => setTo(currentTarget.value)} />
      </Group>
      <DefinitionDifferences before={of(before)} after={of(after)} />
    </Stack>
  );
}

/** The versions with what each of them changed, and a way back to an older one. */
export function Versions({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useVersions(task.id ?? '');
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const [back, goBack] = useState<{ version: number; definition: Definition } | null>(null);
  const { mutate, isPending, error: refusal, reset } = useRollback();
  function close() {
    goBack(null);
    reset();
  }
  return (
    <Section title={t('versions.title')}>
      <ErrorBox error={error} />
      <Accordion variant="separated">
        {items.map((item, at) => (
          <Accordion.Item key={item.version} value={String(item.version)}>
            <Accordion.Control>
              <Group gap="sm">
                <Text size="sm" fw={600}>{`${t('versions.version')} ${item.version}`}</Text>
                <Text size="sm">{t(`versions.${item.action}`)}</Text>
                <Text size="sm" c="dimmed" component="span"><RelativeTime at={item.created_at} plain /></Text>
                {item.version === task.version && <Badge size="sm" variant="light" tt="none">{t('versions.present')}</Badge>}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack align="flex-start">
                {items[at + 1]
                  ? <DefinitionDifferences before={items[at + 1]?.definition} after={item.definition} />
                  : <Text size="sm" c="dimmed">{t('versions.first')}</Text>}
                {item.version !== task.version && (
                  <Button size="xs" variant="default" onClick={() => goBack(item)}>{t('action.rollback')}</Button>
                )}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {hasNextPage && <Button mt="sm" size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>{t('versions.older')}</Button>}
      {items.length > 1 && <Compare versions={items} />}
      {back && (
        <ConfirmDialog
          opened title={t('action.rollback')} text={t('help.rollback', { version: back.version })} confirm={t('action.rollback')}
          busy={isPending} error={refusal} onClose={close}
          onConfirm={() => mutate({ task, definition: back.definition }, { onSuccess: close })}
        >
          <DefinitionDifferences before={items[0]?.definition} after={back.definition} />
        </ConfirmDialog>
      )}
    </Section>
  );
}
