import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';

/** Tells of the tasks that keep the old days of a calendar. */
export function useTellLeft(): (names: string[]) => void {
  const { t } = useTranslation('calendars');
  return (names) => {
    if (names.length > 0) notifications.show({ color: 'yellow', autoClose: false, message: t('left_behind', { count: names.length, names: names.join(', ') }) });
  };
}
