import { Accordion, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition, Task } from '@/api/types';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { useRollback } from './changes';
import { DifferencesTable } from '@/shared/DifferencesTable';
import { useVersions } from './queries';

/** The versions with what each of them changed, and a way back to an older one. */
export function Versions({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const { data, error } = useVersions(task.id ?? '', undefined);
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
        {data?.items.map((item, at) => (
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
                {data.items[at + 1]
                  ? <DifferencesTable before={data.items[at + 1]?.definition} after={item.definition} />
                  : <Text size="sm" c="dimmed">{t('versions.first')}</Text>}
                {item.version !== task.version && (
                  <Button size="xs" variant="default" onClick={() => goBack(item)}>{t('action.rollback')}</Button>
                )}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {back && (
        <ConfirmDialog
          opened title={t('action.rollback')} text={t('help.rollback', { version: back.version })} confirm={t('action.rollback')}
          busy={isPending} error={refusal} onClose={close}
          onConfirm={() => mutate({ task, definition: back.definition }, { onSuccess: close })}
        >
          <DifferencesTable before={data?.items[0]?.definition} after={back.definition} />
        </ConfirmDialog>
      )}
    </Section>
  );
}
