import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBox } from './ErrorBox';
import { useFocusBack } from './focus_back';

interface Props {
  opened: boolean;
  title: string;
  /** What happens, in one or two sentences. */
  text?: string;
  confirm: string;
  /** On the button that leaves all as it is, where "Cancel" could be taken for what the dialog does. */
  leave?: string;
  danger?: boolean;
  busy?: boolean;
  /** For a form with much in it. */
  wide?: boolean;
  error?: unknown;
  children?: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

/** Long names in the title break, so that the button to close stays in view. */
export function ConfirmDialog(props: Props) {
  const { t } = useTranslation();
  useFocusBack();
  const refusal = useRef<HTMLDivElement>(null);
  // Below a long form a refusal would not be seen.
  useEffect(() => {
    if (props.error) refusal.current?.scrollIntoView({ block: 'nearest' });
  }, [props.error]);
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} closeButtonProps={{ 'aria-label': t('close') }} centered size={props.wide ? 'xl' : 'lg'} styles={{ title: { overflowWrap: 'anywhere', minWidth: 0 } }}>
      <Stack>
        {props.text && <Text size="sm">{props.text}</Text>}
        {props.children}
        <div ref={refusal}><ErrorBox error={props.error} /></div>
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>{props.leave ?? t('cancel')}</Button>
          <Button color={props.danger ? 'red' : undefined} loading={props.busy ?? false} onClick={props.onConfirm}>{props.confirm}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
