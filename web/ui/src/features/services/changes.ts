import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { components } from '@/api/schema.gen';

function useRefresh() {
  const client = useQueryClient();
  return async () => {
    for (const name of ['clients', 'services']) await client.invalidateQueries({ queryKey: [name] });
  };
}

/** The client after the change, and whether its home node knows of the change. */
export type Answer = components['responses']['DrainedClient']['content']['application/json'];

/** The client gets nothing new from now on. */
export function useDrain(instance: string) {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (body: { reason?: string; by?: string }) => unwrap(api.POST('/api/v1/clients/{instance}/drain', { params: { path: { instance } }, body })),
    onSuccess,
  });
}

/** A client that a person has drained gets work again. */
export function useResume(instance: string) {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (body: { by?: string }) => unwrap(api.POST('/api/v1/clients/{instance}/resume', { params: { path: { instance } }, body })),
    onSuccess,
  });
}
