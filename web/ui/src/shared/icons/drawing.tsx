import type { ComponentType } from 'react';

export interface IconProps {
  /** Of its sides, in pixels. */
  size?: number;
  /** Thickness of its lines, of 24 units. */
  stroke?: number;
}

export type Icon = ComponentType<IconProps>;

/** An icon from the lines of a path on a board of 24 by 24. What it means stands beside it, so it is hidden from readers. */
export function drawing(lines: string): Icon {
  return function Drawing({ size = 24, stroke = 2 }: IconProps) {
    return (
      <svg
        width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={stroke}
        strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false"
      >
        <path d={lines} />
      </svg>
    );
  };
}
