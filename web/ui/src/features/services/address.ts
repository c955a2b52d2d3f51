import type { Service } from '@/api/types';

/** The page of a service. */
export function addressOf({ project, service }: Pick<Service, 'project' | 'service'>): string {
  return `/services/${encodeURIComponent(project)}/${encodeURIComponent(service)}`;
}
