import { Badge, Button, Group, List, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PreviewedFiring, SchedulePreview } from '@/api/types';
import { clockText } from './firing_text';
import { markOf } from './preview_marks';

function Firing({ firing, zone }: { firing: PreviewedFiring; zone: string }) {
  const { t, i18n } = useTranslation('taskForm');
  const { at, due_at, left_out } = firing;
  const mark = markOf(firing);
  return (
    <>
      {left_out && (
        <Text size="sm" fw={500} my={4}>
          {t(left_out.more ? 'preview.left_out_more' : 'preview.left_out', { count: left_out.count, first: clockText(left_out.first, zone, i18n.language), calendars: left_out.calendars.join(', ') })}
        </Text>
      )}
      <Group gap="xs">
        <Text size="sm" component="span">{clockText(at, zone, i18n.language)}</Text>
        {mark && <Badge size="sm" color="orange" variant="light" tt="none">{t(`preview.${mark}`)}</Badge>}
        {due_at && due_at !== at && <Text size="sm" c="dimmed" component="span">{t('preview.due', { time: clockText(due_at, zone, i18n.language) })}</Text>}
      </Group>
    </>
  );
}

/** The next firings by the clock of the zone, or why there are none, and what follows them. `more`: asks for further ones. */
export function PreviewedFirings({ preview: { next, end, unplanned }, zone, more }: { preview: SchedulePreview; zone: string; more: (() => void) | undefined }) {
  const { t } = useTranslation('taskForm');
  if (unplanned) return <Text size="sm" c="dimmed">{t(`preview.unplanned.${unplanned.why}`)}</Text>;
  return (
    <>
      <Text size="sm" c="dimmed">{t('preview.next_in', { zone })}</Text>
      <List listStyleType="none" spacing={6} aria-label={t('preview.next')}>
        {next.map((firing) => <List.Item key={firing.at}><Firing firing={firing} zone={zone} /></List.Item>)}
      </List>
      {end === 'more' && more && <Button variant="default" size="compact-sm" style={{ alignSelf: 'start' }} onClick={more}>{t('preview.more')}</Button>}
      {end !== 'more' && <Text size="sm" c="dimmed">{t(`preview.end.${end}`)}</Text>}
    </>
  );
}
