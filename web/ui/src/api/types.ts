import type { components } from './schema.gen';

type Schemas = components['schemas'];

export type Task = Schemas['Task'];
export type Definition = Schemas['Definition'];
export type Replacement = Schemas['Replacement'];
export type Schedule = Schemas['Schedule'];
export type ScheduleKind = Schemas['ScheduleKind'];
export type Execution = Schemas['Execution'];
export type ExecutionWithAttempts = Schemas['ExecutionWithAttempts'];
export type Attempt = Schemas['Attempt'];
export type State = Schemas['State'];
export type DeadLetter = Schemas['DeadLetter'];
export type ResolvedLetter = Schemas['ResolvedLetter'];
export type TriggerNode = Schemas['Node'];
export type Term = Schemas['Term'];
export type ZoneVersion = Schemas['ZoneVersion'];
export type Lease = Schemas['Lease'];
export type Failover = Schemas['Failover'];
export type Client = Schemas['Client'];
export type Service = Schemas['Service'];
export type Project = Schemas['Project'];
export type Pause = Schemas['Pause'];
export type NewPause = Schemas['NewPause'];
export type ServiceSettings = Schemas['ServiceSettings'];
export type StoredCalendar = Schemas['StoredCalendar'];
export type Calendar = Schemas['Calendar'];
export type Problem = Schemas['Problem'];
