import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonField, jsonText, readJson, useJsonFault } from '@/shared/JsonField';
import type { Check } from './check';
import { completed, exampleOf } from './example';
import { ExpectedPayload } from './ExpectedPayload';
import { Findings } from './Findings';
import { formFits, formOf } from './flat_form';
import { PayloadForm } from './PayloadForm';
import { type Target, useHandler } from './queries';
import { asObject } from './schema';
import { useCheck } from './use_check';
import { usePayloadWords } from './words';

interface Props {
  label: string;
  /** JSON text, which may be invalid. */
  value: string;
  onChange: (text: string) => void;
  /** The handler that gets it, if one is known. */
  target?: Target | undefined;
  help?: string;
  /** The reason for which the server refused the payload. */
  fault?: string | undefined;
  /** True if the section with what the handler expects is open at first. */
  opened?: boolean;
}

/** The words for what does not fit a property of the first level. */
function useFaultOf(checked: Check | undefined) {
  const words = usePayloadWords();
  return (name: string) => {
    const finding = checked && 'findings' in checked ? checked.findings.find(({ place }) => place.length === 1 && place[0] === name) : undefined;
    return finding && words.finding(finding);
  };
}

/** A payload as text, with what its handler's schema expects and what does not fit, and with a form if the schema is flat. */
export function PayloadField({ label, value, onChange, target, help, fault, opened = false }: Props) {
  const { t } = useTranslation('payload');
  const jsonFault = useJsonFault();
  const handler = useHandler(target);
  // `true` and `false` are schemas, too, but say nothing useful here.
  const schema = asObject(handler?.schema);
  const fields = useMemo(() => schema && formOf(schema), [schema]);
  const [asForm, show] = useState(false);
  const checked = useCheck(schema, value);
  const faultOf = useFaultOf(checked);
  const read = readJson(value);
  const wrong = 'reason' in read ? jsonFault(read.reason, value) : fault;
  const fits = fields !== null && 'value' in read && formFits(fields, read.value);
  const write = (payload: unknown) => onChange(jsonText(payload));
  return (
    <Stack gap="xs">
      {handler?.description && <Text size="sm">{handler.description}</Text>}
      {handler && handler.schemas > 1 && <Alert color="yellow" p="xs"><Text size="sm">{t('builds', { count: handler.schemas })}</Text></Alert>}
      {fields && (
        <Group gap="sm">
          <SegmentedControl aria-label={t('view')} size="xs" value={asForm && fits ? 'form' : 'text'} onChange={(way) => show(way === 'form')} data={[{ value: 'text', label: t('as_text') }, { value: 'form', label: t('as_form'), disabled: !fits }]} />
          {!fits && <Text size="sm" c="dimmed">{t('only_text')}</Text>}
        </Group>
      )}
      {asForm && fits ? <PayloadForm fields={fields} payload={read.value} faultOf={faultOf} onChange={write} /> : <JsonField label={label} value={value} onChange={onChange} />}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c={wrong ? 'red' : 'dimmed'} role={wrong ? 'alert' : undefined}>{wrong ?? help}</Text>
        <Group gap="xs">
          {schema && <Button variant="subtle" size="xs" disabled={!('value' in read)} title={t('example_help')} onClick={() => 'value' in read && write(completed(read.value, exampleOf(schema)))}>{t('example')}</Button>}
          {!(asForm && fits) && <Button variant="subtle" size="xs" disabled={!('value' in read)} onClick={() => 'value' in read && write(read.value)}>{t('format')}</Button>}
        </Group>
      </Group>
      {handler && checked && <div aria-live="polite"><Findings of={checked} handler={handler.handler} /></div>}
      {handler && schema && <ExpectedPayload handler={handler.handler} schema={schema} opened={opened} />}
    </Stack>
  );
}
