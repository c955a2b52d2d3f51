import type { Client, Service } from '@/api/types';
import { type Served, servedBy, stateOf } from './served';

/** The reason why nothing can run a task: its service has no client, none that takes work, or none with the handler. */
export type Need = 'nobody' | 'unreachable' | 'handler';

/** The thing that a task lacks; undefined if a client can run it, or if that is unknown, as the list of the clients is not complete. */
export function needOf(clients: Pick<Client, 'drained' | 'state' | 'reach' | 'handlers'>[], handler: string, complete = true): Need | undefined {
  const able = clients.filter((one) => ['up', 'pending'].includes(stateOf(one)));
  if (able.some(({ handlers }) => handlers.includes(handler)) || !complete) return undefined;
  if (clients.length === 0) return 'nobody';
  return able.length === 0 ? 'unreachable' : 'handler';
}

const keyOf = (project: string, service: string) => `${project}/${service}`;

/** Looks up whether a service is served; undefined for one that is not among these services. */
export function lookUp(services: Pick<Service, 'project' | 'service' | 'clients'>[]): (project: string, service: string) => Served | undefined {
  const states = new Map(services.map(({ project, service, clients }) => [keyOf(project, service), servedBy(clients)]));
  return (project, service) => states.get(keyOf(project, service));
}
