import { Text } from '@mantine/core';
import type { Execution } from '@/api/types';
import { printedBy } from './outputs';
import classes from './Why.module.css';
import { WhyWaits } from './WhyWaits';

/** Why an execution waits or failed: the sentence of the server, and the last line that a command printed of its error. */
export function Why({ one }: { one: Execution }) {
  const printed = printedBy(one);
  return (
    <div className={classes.wide}>
      <Text size="sm" className={classes.why}><WhyWaits text={one.reason ?? one.first_attempt.error ?? ''} project={one.project} /></Text>
      {printed !== '' && <Text size="xs" c="dimmed" className={classes.why}>{printed}</Text>}
    </div>
  );
}
