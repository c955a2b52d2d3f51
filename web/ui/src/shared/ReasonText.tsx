import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './ReasonText.module.css';

interface Props {
  /** The sentence of the server; absent if there is none. */
  reason?: ReactNode;
  /** The last line that a command printed of its error; empty if none is known. */
  printed?: string;
}

/** In a cell of a table: why something waits or failed. It takes as many lines as it needs, as nothing else shows a text that is cut off. */
export function ReasonText({ reason, printed = '' }: Props) {
  if (!reason && printed === '') return null;
  return (
    <div className={classes.wide}>
      {reason && <Text size="sm" className={classes.why}>{reason}</Text>}
      {printed !== '' && <Text size="xs" c="dimmed" className={classes.why}>{printed}</Text>}
    </div>
  );
}
