import { Badge, Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Project } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { Link } from '@/shared/Link';
import { PageHeader } from '@/shared/PageHeader';
import { useProjects } from './queries';

function addressOf({ project }: Pick<Project, 'project'>): string {
  return `/projects/${encodeURIComponent(project)}`;
}

export default function ProjectsPage() {
  const { t } = useTranslation('projects');
  const [, go] = useLocation();
  const cursor = useCursor('projects');
  const { data, error, refetch } = useProjects(cursor.after);
  const columns: ColumnDef<Project>[] = [
    { header: t('project'), cell: ({ row }) => <Link to={addressOf(row.original)} fw={600} size="sm">{row.original.project}</Link> },
    { header: t('state'), cell: ({ row }) => <Badge color={row.original.paused ? 'yellow' : 'teal'} variant="light" tt="none">{t(row.original.paused ? 'paused' : 'runs')}</Badge> },
    { header: t('reason'), cell: ({ row }) => row.original.paused && <Text size="sm">{row.original.paused.reason}</Text> },
  ];
  return (
    <>
      <PageHeader title={t('title')} summary={t('summary')} />
      <ErrorBox error={error} retry={() => void refetch()} />
      {(data || !error) && (
        <DataTable
          label={t('title')} items={data?.items} columns={columns} idOf={({ project }) => project} onOpen={(one) => go(addressOf(one))}
          paging={{ cursor, next: data?.next }} empty={<EmptyState title={t('none')} help={t('none_help')} />}
        />
      )}
    </>
  );
}
