import { useInViewport } from '@mantine/hooks';
import type { DeadLetter } from '@/api/types';
import { Reason } from '@/shared/Reason';
import { ReasonText } from '@/shared/ReasonText';
import { useLastLine } from './queries';

/** The error of a dead letter, and the last line that its command printed, read for the rows that are seen. */
export function ErrorCell({ letter: { execution, error } }: { letter: Pick<DeadLetter, 'execution' | 'error'> }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const printed = useLastLine(execution, inViewport);
  return <div ref={ref}><ReasonText reason={error !== null && <Reason text={error} />} printed={printed} /></div>;
}
