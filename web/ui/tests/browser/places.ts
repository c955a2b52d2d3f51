import type { Data } from './data';

/** Every page, with a short name for its screenshot. A new page gets a line here (pages.browser.ts finds one that has none). */
export function places(data: Data): { name: string; path: string }[] {
  return [
    { name: 'overview', path: '/' },
    { name: 'tasks', path: '/tasks' },
    { name: 'task', path: `/tasks/${data.tasks.invoices}` },
    { name: 'new-task', path: '/tasks/new' },
    { name: 'edit-task', path: `/tasks/${data.tasks.invoices}/edit` },
    { name: 'executions', path: '/executions' },
    { name: 'execution', path: `/executions/${data.failed}` },
    { name: 'day', path: '/day' },
    { name: 'dead-letters', path: '/dead-letters' },
    { name: 'services', path: '/services' },
    { name: 'service', path: '/services/default/billing' },
    { name: 'calendars', path: '/calendars' },
    { name: 'calendar', path: `/calendars/${data.calendar}` },
    { name: 'projects', path: '/projects' },
    { name: 'project', path: '/projects/default' },
    { name: 'nodes', path: '/nodes' },
  ];
}
