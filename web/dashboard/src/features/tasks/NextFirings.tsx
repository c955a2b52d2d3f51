import { Badge, Group, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { ExactTime, RelativeTime } from '@/shared/Times';
import { useNextFirings } from './queries';

export function NextFirings({ id, version, zone }: { id: string; version: number | undefined; zone: string | undefined }) {
  const { t } = useTranslation('tasks');
  const { data, error } = useNextFirings(id, version);
  return (
    <Section title={t('next.title')}>
      <ErrorBox error={error} />
      {data && !data.enabled && <Text size="sm" c="dimmed" mb="sm">{t('next.disabled')}</Text>}
      {data?.next.length === 0 && <Text size="sm" c="dimmed">{t('next.none')}</Text>}
      <List listStyleType="none" spacing={6}>
        {data?.next.map((firing) => (
          <List.Item key={firing.at}>
            <Group gap="sm">
              <Text size="sm" component="span"><ExactTime at={firing.at} {...(zone ? { zone } : {})} /></Text>
              <Text size="sm" c="dimmed" component="span"><RelativeTime at={firing.at} /></Text>
              {firing.clock_changed && <Badge size="sm" color="orange" variant="light" tt="none">{t('next.clock')}</Badge>}
              {firing.planned && <Badge size="sm" color="gray" variant="light" tt="none">{t('next.planned')}</Badge>}
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
