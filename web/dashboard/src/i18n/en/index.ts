import deadLetters from './dead-letters.json';
import executions from './executions.json';
import nodes from './nodes.json';
import shared from './shared.json';
import shell from './shell.json';
import tasks from './tasks.json';

const en = { shared, shell, nodes, tasks, executions, deadLetters };
export default en;
