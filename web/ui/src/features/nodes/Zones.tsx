import type { ColumnDef } from '@tanstack/react-table';
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ZoneVersion } from '@/api/types';
import { DataTable } from '@/shared/DataTable';
import { ErrorBox } from '@/shared/ErrorBox';
import { Section } from '@/shared/Section';
import { ExactTime } from '@/shared/Times';
import { useZoneVersions } from './queries';

const mostNamed = 8;

/** By which zone database the cluster plans, and has planned. */
export function Zones() {
  const { t } = useTranslation(['nodes', 'shared']);
  const { data, error } = useZoneVersions();
  const columns: ColumnDef<ZoneVersion>[] = [
    { header: t('zones.release'), cell: ({ row }) => <Text size="sm" fw={600}>{row.original.zones}</Text> },
    { header: t('zones.valid_from'), cell: ({ row }) => <ExactTime at={row.original.valid_from} /> },
    { header: t('zones.recorded_by'), accessorKey: 'recorded_by' },
    {
      header: t('zones.changed'),
      cell: ({ row: { original: { changed } } }) => {
        const further = changed.length - mostNamed;
        const names = changed.slice(0, mostNamed).join(', ') || t('shared:none');
        return <Text size="sm" title={changed.join(', ')}>{further > 0 ? t('zones.further', { names, count: further }) : names}</Text>;
      },
    },
  ];
  if (data?.items.length === 0) return null;
  return (
    <Section title={t('zones.title')}>
      <Text size="sm" c="dimmed" mb="sm">{t('zones.help')}</Text>
      <ErrorBox error={error} />
      {(data || !error) && <DataTable label={t('zones.title')} items={data?.items} columns={columns} idOf={({ version }) => String(version)} empty={null} />}
    </Section>
  );
}
