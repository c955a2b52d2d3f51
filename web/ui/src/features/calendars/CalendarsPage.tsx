import { Button } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import type { StoredCalendar } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { usePreferences } from '@/shared/preferences';
import { RelativeTime } from '@/shared/Times';
import { CalendarForm } from './CalendarForm';
import { useCalendars, useCreateCalendar } from './queries';

export default function CalendarsPage() {
  const { t } = useTranslation('calendars');
  const [, go] = useLocation();
  const { project } = usePreferences();
  const cursor = useCursor(project);
  const { data, error, refetch } = useCalendars(project, cursor.after);
  const asked = new URLSearchParams(useSearch()).has('new');
  const [making, make] = useState(asked);
  const create = useCreateCalendar();
  const columns: ColumnDef<StoredCalendar>[] = [
    { header: t('name'), cell: ({ row }) => <Link to={`/calendars/${row.original.id}`} fw={600} size="sm">{row.original.name}</Link> },
    { header: t('project'), accessorKey: 'project' },
    { header: t('description'), accessorKey: 'description' },
    { header: t('zone'), accessorKey: 'zone' },
    { header: t('updated'), cell: ({ row }) => <RelativeTime at={row.original.updated_at} /> },
  ];
  const button = <Button onClick={() => make(true)}>{t('create')}</Button>;
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} actions={button} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} idOf={({ id }) => id} onOpen={({ id }) => go(`/calendars/${id}`)}
          paging={{ cursor, next: data?.next }} empty={<EmptyState title={t('none')} help={t('none_help')} action={button} />}
        />
      )}
      {making && (
        <CalendarForm
          project={project} busy={create.isPending} error={create.error} close={() => { make(false); create.reset(); }}
          save={(calendar) => create.mutate(calendar, { onSuccess: ({ id }) => go(`/calendars/${id}`) })}
        />
      )}
    </>
  );
}
