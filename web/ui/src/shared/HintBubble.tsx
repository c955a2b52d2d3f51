import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** The hint beside an element, as long as it is there. */
export default function HintBubble({ at, children }: { at: HTMLElement; children: ReactNode }) {
  return <Tooltip opened target={at} label={children} />;
}
