import calendars from './calendars.json';
import day from './day.json';
import deadLetters from './dead-letters.json';
import executions from './executions.json';
import nodes from './nodes.json';
import overview from './overview.json';
import payload from './payload.json';
import projects from './projects.json';
import scopes from './scopes.json';
import server from './server.json';
import services from './services.json';
import shared from './shared.json';
import shell from './shell.json';
import taskForm from './task-form.json';
import taskPolicies from './task-policies.json';
import tasks from './tasks.json';

const en = { shared, shell, overview, day, nodes, tasks, executions, deadLetters, services, projects, scopes, calendars, taskForm, taskPolicies, payload, server };
export default en;
