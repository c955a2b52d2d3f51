import { useSyncExternalStore } from 'react';
import { token } from '@/api/token';

export function useTokenWanted(): boolean {
  return useSyncExternalStore(token.subscribe, token.isWanted, token.isWanted);
}
