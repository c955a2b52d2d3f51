import { Text } from '@mantine/core';
import type { ColumnDef } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Term } from '@/api/types';
import { useCursor } from '@/shared/cursor';
import { DataTable } from '@/shared/DataTable';
import { EmptyState } from '@/shared/EmptyState';
import { ErrorBox } from '@/shared/ErrorBox';
import { between } from '@/shared/time';
import { Reason } from '@/shared/Reason';
import { Duration, ExactTime } from '@/shared/Times';
import { useTerms } from './queries';
import classes from './TermsTable.module.css';

export function TermsTable() {
  const { t } = useTranslation('nodes');
  const cursor = useCursor('terms');
  const { data, error, refetch } = useTerms(cursor.after);
  const columns: ColumnDef<Term>[] = [
    // On a phone the first cell has no title.
    { header: t('epoch'), cell: ({ row }) => <><Text span inherit hiddenFrom="sm">{`${t('epoch')} `}</Text>{row.original.epoch}</> },
    { header: t('node'), accessorKey: 'node' },
    { header: t('how'), cell: ({ row }) => <Text span inherit miw={150} display="inline-block">{t(`how_${row.original.how}`)}</Text> },
    { header: t('acting_since'), cell: ({ row }) => <Text span inherit className={classes.whole}><ExactTime at={row.original.acting_at} /></Text> },
    { header: t('gap'), cell: ({ row }) => <Text span inherit className={classes.whole}><Duration ms={row.original.gap_ms} /></Text> },
    { header: t('lasted'), cell: ({ row }) => (row.original.ended_at ? <Text span inherit className={classes.whole}><Duration ms={between(row.original.acting_at, row.original.ended_at)} /></Text> : t('goes_on')) },
    { header: t('why_ended'), cell: ({ row }) => (row.original.why_ended === null ? '–' : <Reason text={row.original.why_ended} />) },
  ];
  return (
    <>
      <ErrorBox error={error} retry={() => void refetch()} />
      <DataTable
        label={t('terms')} items={data?.items} columns={columns} idOf={(term) => String(term.epoch)}
        paging={{ cursor, next: data?.next }} empty={<EmptyState title={t('no_terms')} />}
      />
    </>
  );
}
