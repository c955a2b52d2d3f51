import { Code, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { differences } from './differences';
import { writeJson } from './exact_json';

function Value({ value }: { value: unknown }) {
  const { t } = useTranslation();
  if (value === undefined) return <Text span size="sm" c="dimmed">{t('difference.absent')}</Text>;
  return <Code>{typeof value === 'string' ? value : writeJson(value)}</Code>;
}

interface Props {
  before: unknown;
  after: unknown;
  /** The name of a member for people. Without it, that of the document. */
  labelOf?: (field: string) => string;
}

export function DifferencesTable({ before, after, labelOf = (field) => field }: Props) {
  const { t } = useTranslation();
  const all = differences(before, after);
  if (all.length === 0) return <Text size="sm" c="dimmed">{t('difference.same')}</Text>;
  return (
    <Table.ScrollContainer minWidth={400} tabIndex={0}>
      <Table aria-label={t('difference.changes')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('difference.field')}</Table.Th>
            <Table.Th>{t('difference.before')}</Table.Th>
            <Table.Th>{t('difference.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((one) => (
            <Table.Tr key={one.field}>
              <Table.Td>{labelOf(one.field)}</Table.Td>
              <Table.Td><Value value={one.before} /></Table.Td>
              <Table.Td><Value value={one.after} /></Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
