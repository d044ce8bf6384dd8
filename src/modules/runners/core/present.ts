import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import { UserBasic } from '../../users/index.ts'
import { accessLevels, type RunnerManagerRow, type RunnerRow, runnerTypes } from '../tables.ts'
import { isOnline, runnerStatuses, statusAt } from './status.ts'

const execution = oneOf(['idle', 'active'])

const members = {
  id: forms.id,
  description: forms.nullableString,
  ip_address: forms.nullableString,
  active: Type.Boolean({ description: 'The contrary of `paused`.' }),
  paused: Type.Boolean(),
  is_shared: Type.Boolean({ description: 'Whether it is a runner of the instance.' }),
  runner_type: oneOf(runnerTypes),
  name: forms.nullableString,
  online: nullable(Type.Boolean()),
  created_at: forms.timestamp,
  created_by: nullable(UserBasic),
  status: oneOf(runnerStatuses),
  job_execution_status: execution,
}

/** A runner in lists (contract 04, Runner). */
export const Runner = Type.Object(members, { title: 'Runner' })

const facts = {
  version: forms.nullableString,
  revision: forms.nullableString,
  platform: forms.nullableString,
  architecture: forms.nullableString,
}

const RunnerProject = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    name_with_namespace: Type.String(),
    path: Type.String(),
    path_with_namespace: Type.String(),
  },
  { title: 'RunnerProject' },
)

const RunnerGroup = Type.Object({ id: forms.id, web_url: Type.String(), name: Type.String() }, { title: 'RunnerGroup' })

/** One runner (contract 04, Runner detail). */
export const RunnerDetail = Type.Object(
  {
    ...members,
    tag_list: forms.strings,
    run_untagged: Type.Boolean(),
    locked: Type.Boolean(),
    maximum_timeout: forms.nullableInteger,
    access_level: oneOf(accessLevels),
    ...facts,
    contacted_at: forms.nullableTimestamp,
    maintenance_note: forms.nullableString,
    projects: Type.Array(RunnerProject),
    groups: Type.Array(RunnerGroup),
  },
  { title: 'RunnerDetail' },
)

/** A program that uses the token of a runner (contract 04, Runner manager). */
export const RunnerManager = Type.Object(
  {
    id: forms.id,
    system_id: Type.String(),
    ...facts,
    created_at: forms.timestamp,
    contacted_at: forms.nullableTimestamp,
    ip_address: forms.nullableString,
    status: oneOf(runnerStatuses),
    job_execution_status: execution,
  },
  { title: 'RunnerManager' },
)

/** The result of a registration (contract 04). */
export const RegisteredRunner = Type.Object(
  { id: forms.id, token: Type.String(), token_expires_at: forms.nullableTimestamp },
  { title: 'RegisteredRunner' },
)

/** A new authentication token. */
export const RunnerToken = Type.Object(
  { token: Type.String(), token_expires_at: forms.nullableTimestamp },
  { title: 'RunnerToken' },
)

export type PresentedRunner = Static<typeof Runner>

/** What a runner is presented with besides its row. */
export type RunnerContext = { now: Date; isActive: boolean; creator: Static<typeof UserBasic> | null }

/** A runner in a list (contract 04, Runner). */
export function presentRunner(row: RunnerRow, { now, isActive, creator }: RunnerContext): PresentedRunner {
  const { id, description, ip_address, paused, runner_type, name, created_at } = row
  return {
    id,
    description,
    ip_address,
    active: !paused,
    paused,
    is_shared: runner_type === 'instance_type',
    runner_type,
    name,
    online: isOnline(row, now),
    created_at,
    created_by: creator,
    status: statusAt(row, now),
    job_execution_status: isActive ? 'active' : 'idle',
  }
}

/** A program that takes jobs for a runner (contract 04, Runner manager). */
export function presentManager(row: RunnerManagerRow, now: Date, isActive: boolean): Static<typeof RunnerManager> {
  const { id, system_id, version, revision, platform, architecture, created_at, contacted_at, ip_address } = row
  return {
    ...{ id, system_id, version, revision, platform, architecture, created_at, contacted_at, ip_address },
    status: statusAt(row, now),
    job_execution_status: isActive ? 'active' : 'idle',
  }
}
