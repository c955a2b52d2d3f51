import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBox } from './ErrorBox';

interface Props {
  opened: boolean;
  title: string;
  /** What happens, in one or two sentences. */
  text?: string;
  confirm: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  children?: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmDialog(props: Props) {
  const { t } = useTranslation();
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} closeButtonProps={{ 'aria-label': t('close') }} centered size="lg">
      <Stack>
        {props.text && <Text size="sm">{props.text}</Text>}
        {props.children}
        <ErrorBox error={props.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>{t('cancel')}</Button>
          <Button color={props.danger ? 'red' : undefined} loading={props.busy ?? false} onClick={props.onConfirm}>{props.confirm}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
