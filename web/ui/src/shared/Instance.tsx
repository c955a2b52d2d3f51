import { Text, type TextProps } from '@mantine/core';
import { shortInstance } from './instance_name';

/** A client or a node as a table names it; the whole name on hover. */
export function Instance({ name, ...rest }: TextProps & { name: string }) {
  return <Text span size="sm" title={name} {...rest}>{shortInstance(name)}</Text>;
}
