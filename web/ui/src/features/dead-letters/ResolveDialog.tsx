import { Alert, List, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTaskName } from '@/api/task_names';
import { ConfirmDialog } from '@/shared/ConfirmDialog';
import { PayloadField } from '@/features/payload/PayloadField';
import { useTargetOf } from '@/features/payload/queries';
import { jsonText, readJson } from '@/shared/JsonField';
import { countText, type Letters, type Resolved } from './letters';
import { type Request, type Resolve, useCommonPayload, useLetterCount } from './queries';

interface Props {
  how: Resolve;
  of: Letters;
  /** The task of all dead letters that are meant; empty if they belong to several tasks. */
  task: string;
  busy: boolean;
  error: unknown;
  progress: Resolved | undefined;
  send: (request: Request) => void;
  close: () => void;
}

/** With the number of dead letters that are meant, once it is known. */
function useQuestion(how: Resolve, of: Letters, busy: boolean): string {
  const { t, i18n } = useTranslation('deadLetters');
  const found = useLetterCount(of, busy).data;
  if ('executions' in of) return t(`sure.${how}`, { count: of.executions.length });
  if (!found) return t(`sure_all.${how}`);
  const n = found.count.toLocaleString(i18n.language);
  return found.more ? t(`sure_more.${how}`, { n }) : t(`sure_n.${how}`, { count: found.count, n });
}

/** What the dead letters have in common that are meant. */
function Filter({ of }: { of: Letters }) {
  const { t } = useTranslation('deadLetters');
  const filter = 'executions' in of ? {} : of;
  const task = useTaskName(filter.task ?? '').data;
  const { project, service, error, broadcast } = filter;
  const lines = [
    [t('project'), project], [t('task'), task ?? filter.task], [t('service'), service], [t('error'), error], [t('shards_of'), broadcast],
  ].filter(([, value]) => value !== undefined);
  if (lines.length === 0) return null;
  return <List size="sm">{lines.map(([name, value]) => <List.Item key={name}>{`${name}: ${value}`}</List.Item>)}</List>;
}

/**
 * Asks before dead letters run again or are dismissed. Those that run again keep their payloads, unless a person chooses another one
 * and changes the text: where the payloads differ, it is empty at first.
 */
export function ResolveDialog({ how, of, task, busy, error, progress, send, close }: Props) {
  const { t, i18n } = useTranslation('deadLetters');
  const [other, setOther] = useState(false);
  const [typed, setTyped] = useState<string>();
  const { data: common, isLoading } = useCommonPayload(of, how === 'retry' && other);
  const own = common && common !== 'differ' ? jsonText(common.payload) : '';
  const text = typed ?? own;
  const read = readJson(text);
  const target = useTargetOf(other ? task : '');
  const question = useQuestion(how, of, busy);
  function confirm() {
    if (other && ('reason' in read || isLoading)) return;
    send({ how, of, ...(other && text !== own && 'value' in read ? { payload: read.value } : {}) });
  }
  return (
    <ConfirmDialog opened title={question} text={t(`help.${how}`)} confirm={t(`action.${how}`)} busy={busy} error={error} onConfirm={confirm} onClose={close}>
      <Filter of={of} />
      {how === 'retry' && (
        <Radio.Group label={t('payloads')} value={other ? 'other' : 'own'} onChange={(next) => setOther(next === 'other')}>
          <Stack gap="xs" mt="xs"><Radio value="own" label={t('own_payload')} /><Radio value="other" label={t('other_payload')} /></Stack>
        </Radio.Group>
      )}
      {how === 'retry' && other && isLoading && <Skeleton height={80} />}
      {how === 'retry' && other && !isLoading && (
        <>
          {common === 'differ' && <Alert color="yellow" p="xs"><Text size="sm">{t('payloads_differ')}</Text></Alert>}
          <PayloadField label={t('payload')} value={text} onChange={setTyped} target={target} />
        </>
      )}
      {(busy || error !== null) && progress && (
        <Text size="sm" role="status">
          {t('progress', { done: (progress.done + progress.refused).toLocaleString(i18n.language), left: countText(progress.remaining, i18n.language) })}
        </Text>
      )}
    </ConfirmDialog>
  );
}
