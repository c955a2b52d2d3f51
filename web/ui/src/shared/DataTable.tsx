import { ActionIcon, Checkbox, Group, Loader, Paper, Skeleton, Table, Text, UnstyledButton } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@/shared/icons';
import { getCoreRowModel, getSortedRowModel, useReactTable, type ColumnDef, type Header, type Row, type RowSelectionState, type SortingState } from '@tanstack/react-table';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Cursor } from './cursor';
import classes from './DataTable.module.css';
import { useLate } from './late';

interface Props<Item> {
  label: string;
  items: Item[] | undefined;
  columns: ColumnDef<Item>[];
  /** Ids of columns that are not shown. */
  hidden?: string[];
  idOf: (item: Item) => string;
  nameOf?: (item: Item) => string;
  /** Enter on a row, or a click on it. */
  onOpen?: (item: Item) => void;
  selection?: { ids: string[]; onChange: (ids: string[]) => void };
  /** Columns with an accessor sort the items by a click on their title. All items must be there. */
  sortable?: boolean;
  /** How many of the sorted items are shown; all without it. */
  most?: number;
  paging?: { cursor: Cursor; next: string | null | undefined };
  empty: ReactNode;
  /** The items are those of the previous filters until the answer comes: they are dimmed and cannot be selected. */
  stale?: boolean;
}

function checkColumn<Item>(all: string, name: (item: Item) => string, disabled: boolean): ColumnDef<Item> {
  return {
    id: 'select',
    header: ({ table }) => (
      <Checkbox
        aria-label={all} disabled={disabled} checked={table.getIsAllRowsSelected()} indeterminate={table.getIsSomeRowsSelected()}
        onChange={table.getToggleAllRowsSelectedHandler()}
      />
    ),
    cell: ({ row }) => (
      <Checkbox aria-label={name(row.original)} disabled={disabled} checked={row.getIsSelected()} onChange={row.getToggleSelectedHandler()} />
    ),
  };
}

/** Arrows move between rows, Home and End to the ends, Enter opens, space selects. */
function useRowKeys<Item>(onOpen?: (item: Item) => void) {
  const body = useRef<HTMLTableSectionElement>(null);
  function keys(event: KeyboardEvent<HTMLTableRowElement>, row: Row<Item>) {
    if (event.target !== event.currentTarget) return;
    const rows = [...(body.current?.querySelectorAll<HTMLTableRowElement>('tr') ?? [])];
    const at = rows.indexOf(event.currentTarget);
    const aims: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
    const aim = aims[event.key];
    if (aim !== undefined) rows[aim]?.focus();
    else if (event.key === 'Enter') onOpen?.(row.original);
    else if (event.key === ' ' && row.getCanSelect()) row.toggleSelected();
    else return;
    event.preventDefault();
  }
  return { body, keys };
}

function Pager({ cursor, next }: { cursor: Cursor; next: string | null | undefined }) {
  const { t } = useTranslation();
  if (!next && !cursor.previous) return null;
  return (
    <Group justify="flex-end" gap="xs" mt="sm">
      <ActionIcon variant="default" aria-label={t('previous')} disabled={!cursor.previous} onClick={() => cursor.previous?.()}>
        <IconChevronLeft size={16} />
      </ActionIcon>
      <Text size="sm" aria-live="polite">{t('page', { page: cursor.page })}</Text>
      <ActionIcon variant="default" aria-label={t('next')} disabled={!next} onClick={() => next && cursor.next?.(next)}>
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}

// Columns are made anew by each render. As components, their functions would be other ones each time, and a menu that is open in
// a cell would be lost with its cell.
function shownBy<Context>(show: string | ((context: Context) => ReactNode) | undefined, context: Context): ReactNode {
  return typeof show === 'function' ? show(context) : show;
}

const marks = { asc: ' ▲', desc: ' ▼' };

function Title<Item>({ header }: { header: Header<Item, unknown> }) {
  const { column } = header;
  const text = shownBy(column.columnDef.header, header.getContext());
  const order = column.getIsSorted();
  if (!column.getCanSort()) return <Table.Th scope="col" role="columnheader">{text}</Table.Th>;
  return (
    <Table.Th scope="col" role="columnheader" aria-sort={order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : 'none'}>
      <UnstyledButton fz="inherit" fw="inherit" className={classes.sort} onClick={() => column.toggleSorting()}>
        {text}<span aria-hidden>{order ? marks[order] : ''}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

function titleOf(header: unknown): string {
  return typeof header === 'string' ? header : '';
}

export function DataTable<Item>(props: Props<Item>) {
  const { items, idOf, selection, paging, onOpen, stale = false } = props;
  const { t } = useTranslation();
  const late = useLate(stale);
  const { body, keys } = useRowKeys(onOpen);
  const nameOf = props.nameOf ?? idOf;
  const shown = props.columns.filter(({ id }) => id === undefined || !props.hidden?.includes(id));
  const columns = selection ? [checkColumn<Item>(t('select_all'), (item) => t('select_row', { name: nameOf(item) }), stale), ...shown] : shown;
  const rowSelection: RowSelectionState = Object.fromEntries((selection?.ids ?? []).map((id) => [id, true]));
  const [sorting, setSorting] = useState<SortingState>([]);
  const table = useReactTable({
    data: items ?? [], columns, getRowId: idOf, getCoreRowModel: getCoreRowModel(),
    enableSorting: props.sortable ?? false, getSortedRowModel: getSortedRowModel(), onSortingChange: setSorting,
    enableRowSelection: selection !== undefined && !stale, state: { rowSelection, sorting },
    onRowSelectionChange: (change) => {
      const next = typeof change === 'function' ? change(rowSelection) : change;
      selection?.onChange(Object.keys(next).filter((id) => next[id]));
    },
  });

  const firstId = table.getAllColumns().find(({ id }) => id !== 'select')?.id;

  if (!items) return <Skeleton height={240} role="status" aria-label={t('loading')} />;
  if (items.length === 0 && !stale && !paging?.cursor.previous && !paging?.next) return <>{props.empty}</>;
  return (
    <>
      <Paper withBorder radius="md" className={classes.box} data-stale={late || undefined} aria-busy={stale}>
        {late && <Loader size="sm" className={classes.loader} aria-label={t('loading')} role="status" />}
        <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} className={classes.scroll} classNames={{ scrollContainerInner: classes.inner }}>
          <Table highlightOnHover verticalSpacing="sm" aria-label={props.label} role="table">
            <Table.Thead className={classes.head} role="rowgroup">
              {table.getHeaderGroups().map((group) => (
                <Table.Tr key={group.id} role="row">
                  {group.headers.map((header) => <Title key={header.id} header={header} />)}
                </Table.Tr>
              ))}
            </Table.Thead>
            <Table.Tbody ref={body} className={classes.body} role="rowgroup">
              {table.getRowModel().rows.slice(0, props.most).map((row) => (
                <Table.Tr key={row.id} role="row" tabIndex={0} className={classes.row} data-selected={row.getIsSelected() || undefined} onKeyDown={(event) => keys(event, row)}>
                  {row.getVisibleCells().map((cell) => (
                    <Table.Td key={cell.id} role="cell" data-title={titleOf(cell.column.columnDef.header)} data-first={cell.column.id === firstId || undefined} data-column={cell.column.id}>
                      {shownBy(cell.column.columnDef.cell, cell.getContext())}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {items.length === 0 && paging?.next && <Text size="sm" c="dimmed" mt="sm" role="status">{t('nothing_so_far')}</Text>}
      {paging && <Pager {...paging} />}
    </>
  );
}
