import { Badge, Button, Group, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/api/types';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { ExactTime, RelativeTime } from '@/shared/Times';
import { useRestore } from './changes';
import { useFiringCount } from './firings_shown';
import { useNextFirings } from './queries';
import { SkipDialog } from './SkipDialog';

/** The firings ahead that people asked to skip, each with a way to take that back. */
function Skips({ task, zone }: { task: Task; zone: string | undefined }) {
  const { t } = useTranslation('tasks');
  const { mutate, isPending, error } = useRestore();
  if (!task.skips || task.skips.length === 0) return null;
  return (
    <Stack gap="xs" mt="md" aria-live="polite">
      <Text size="sm" fw={600}>{t('skip.ahead')}</Text>
      <ErrorBox error={error} />
      {task.skips.map(({ firing, by, reason }) => (
        <Group key={firing} gap="sm">
          <Text size="sm" component="span" td="line-through"><ExactTime at={firing} weekday {...(zone ? { zone } : {})} /></Text>
          <Text size="sm" c="dimmed" component="span">{[by, reason].filter((text) => text !== '').join(': ')}</Text>
          <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate({ task, firing })}>{t('skip.restore')}</Button>
        </Group>
      ))}
    </Stack>
  );
}

export function NextFirings({ task, zone }: { task: Task; zone: string | undefined }) {
  const { t } = useTranslation('tasks');
  const { count, isFull, more } = useFiringCount();
  const { data, error } = useNextFirings(task.id ?? '', task.version, count);
  const [skipping, skip] = useState<string | null>(null);
  const skipped = new Set((task.skips ?? []).map(({ firing }) => firing));
  const next = data?.next.filter(({ at }) => !skipped.has(at)) ?? [];
  const first = task.enabled && task.schedule.kind !== 'fixed_delay' && task.schedule.kind !== 'after' ? (task.next_at ?? undefined) : undefined;
  return (
    <Section title={t('next.title')} actions={first && <Button size="xs" variant="default" onClick={() => skip(first)}>{t('skip.title')}</Button>}>
      <ErrorBox error={error} />
      {data && !data.enabled && <Text size="sm" c="dimmed" mb="sm">{t('next.disabled')}</Text>}
      {data?.next.length === 0 && <Text size="sm" c="dimmed">{t('next.none')}</Text>}
      <List listStyleType="none" spacing={6}>
        {next.map((firing) => (
          <List.Item key={firing.at}>
            <Group gap="0 sm">
              <Text size="sm" component="span"><ExactTime at={firing.at} weekday {...(zone ? { zone } : {})} /></Text>
              <Text size="sm" c="dimmed" component="span"><RelativeTime at={firing.at} /></Text>
              {firing.clock_changed && <Badge size="sm" color="orange" variant="light" tt="none">{t('next.clock')}</Badge>}
              {firing.planned && <Badge size="sm" color="gray" variant="light" tt="none">{t('next.planned')}</Badge>}
            </Group>
          </List.Item>
        ))}
      </List>
      {more && data && isFull(data.next.length) && <Button mt="sm" variant="default" size="compact-sm" onClick={more}>{t('next.more')}</Button>}
      <Skips task={task} zone={zone} />
      {skipping && <SkipDialog task={task} expected={skipping} zone={zone} close={() => skip(null)} />}
    </Section>
  );
}
