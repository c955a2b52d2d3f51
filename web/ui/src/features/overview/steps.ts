export interface Step {
  name: 'node' | 'client' | 'task';
  done: boolean;
}

/** What a cluster needs before anything can run, in order. */
export function stepsOf({ nodes, clients, tasks }: { nodes: number; clients: number; tasks: number }): Step[] {
  return [
    { name: 'node', done: nodes > 0 },
    { name: 'client', done: clients > 0 },
    { name: 'task', done: tasks > 0 },
  ];
}
