import { Notifications } from '@mantine/notifications';
import { Palette } from './Palette';
import { TokenDialog } from './TokenDialog';

/** What lies above the pages, and is empty until something happens. */
export default function Late() {
  return (
    <>
      <Notifications position="bottom-right" />
      <Palette />
      <TokenDialog />
    </>
  );
}
