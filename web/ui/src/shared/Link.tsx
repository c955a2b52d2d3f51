import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link as RouteLink } from 'wouter';

export function Link({ to, children, ...rest }: AnchorProps & { to: string; children: ReactNode }) {
  return <Anchor component={RouteLink} href={to} {...rest}>{children}</Anchor>;
}
