import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './Figure.module.css';

interface Props {
  label: string;
  value: ReactNode;
  detail?: ReactNode;
  /** The list that the number counts. */
  to: string;
  tone?: 'calm' | 'warn' | 'bad';
}

/** A number with its name, which leads to what it counts. */
export function Figure({ label, value, detail, to, tone = 'calm' }: Props) {
  return (
    <Paper component={Link} href={to} withBorder radius="md" p="md" className={classes.figure} data-tone={tone}>
      <Text size="sm" c="dimmed">{label}</Text>
      <Text className={classes.value} fw={700}>{value}</Text>
      {detail && <Text size="sm" c="dimmed" component="div">{detail}</Text>}
    </Paper>
  );
}
