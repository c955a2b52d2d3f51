import calendars from './calendars.json';
import clock from './clock.json';
import cron from './cron.json';
import parts from './parts.json';
import policies from './policies.json';
import requests from './requests.json';
import schedule from './schedule.json';
import server from './server.json';
import services from './services.json';
import tasks from './tasks.json';

const en = { parts, requests, server, tasks, policies, schedule, cron, clock, calendars, services };
export default en;
