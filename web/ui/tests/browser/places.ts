import { viewerZone } from './browser';
import type { Data } from './data';

function tomorrow(): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: viewerZone }).format(Date.now() + 86_400_000);
}

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
    // A whole day to come has more firings than are drawn, at whatever hour the tests run.
    { name: 'day-to-come', path: `/day?date=${tomorrow()}` },
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
