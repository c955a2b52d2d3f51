import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { token } from '@/api/token';
import { useTokenWanted } from './token_wanted';

export function TokenDialog() {
  const { t } = useTranslation('shell');
  const client = useQueryClient();
  const [value, setValue] = useState('');
  const [tried, setTried] = useState(false);
  const opened = useTokenWanted();
  function send(event: FormEvent) {
    event.preventDefault();
    if (!value) return;
    token.keep(value);
    setTried(true);
    setValue('');
    void client.invalidateQueries();
  }
  return (
    <Modal opened={opened} onClose={() => undefined} withCloseButton={false} title={t('token.title')} centered>
      <form onSubmit={send}>
        <Stack>
          <Text size="sm">{t('token.help')}</Text>
          <PasswordInput label={t('token.label')} value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)} data-autofocus autoComplete="off" error={tried && value === '' ? t('token.wrong') : null} />
          <Text size="sm" c="dimmed">{t('token.where')}</Text>
          <Button type="submit">{t('token.send')}</Button>
        </Stack>
      </form>
    </Modal>
  );
}
