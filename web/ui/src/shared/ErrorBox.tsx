import { Alert, Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '@/api/problem';
import { useProblemWords } from './problems';

// These refusals have a title in words of people; others have that of the server.
const statuses = [400, 403, 404, 409, 412, 422, 500, 503] as const;

/** A refusal, with a way to try again. */
export function ErrorBox({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const words = useProblemWords();
  if (!error) return null;
  const problem = error instanceof ProblemError ? error : undefined;
  // The dialog for the token tells of that.
  if (problem?.status === 401) return null;
  const lost = problem?.status === 0;
  const known = statuses.find((status) => status === problem?.status);
  const title = lost ? t('error.unreachable') : known ? t(`error.status.${known}`) : problem?.title || t('error.other');
  const detail = lost ? t('error.unreachable_detail') : words(error instanceof Error ? error.message : String(error));
  return (
    <Alert color="red" title={title} role="alert" mb="md">
      <Text size="sm">{detail}</Text>
      {problem?.field && <Text size="sm" c="dimmed">{t('error.field', { field: problem.field })}</Text>}
      {retry && <Button size="xs" mt="sm" variant="default" onClick={retry}>{t('retry')}</Button>}
    </Alert>
  );
}
