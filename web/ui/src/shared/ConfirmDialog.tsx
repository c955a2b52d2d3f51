import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './ConfirmDialog.module.css';
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

/** The buttons, and a refusal, stay in view below a long form. Long names in the title break, so that the button to close does, too. */
export function ConfirmDialog(props: Props) {
  const { t } = useTranslation();
  useFocusBack();
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} closeButtonProps={{ 'aria-label': t('close') }} centered size={props.wide ? 'xl' : 'lg'} classNames={{ content: classes.content ?? '' }} styles={{ title: { overflowWrap: 'anywhere', minWidth: 0 } }}>
      <Stack>
        {props.text && <Text size="sm">{props.text}</Text>}
        {props.children}
        <div className={classes.foot}>
          <ErrorBox error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>{props.leave ?? t('cancel')}</Button>
            <Button color={props.danger ? 'red' : undefined} loading={props.busy ?? false} onClick={props.onConfirm}>{props.confirm}</Button>
          </Group>
        </div>
      </Stack>
    </Modal>
  );
}
