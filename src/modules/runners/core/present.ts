import { computed, fact, forms, nullable, object, of, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import { accessLevels, type RunnerManagerRow, type RunnerRow, runnerTypes } from '../tables.ts'
import { isOnline, runnerStatuses, statusAt } from './status.ts'
import { busyIds } from './store.ts'

/** What the runners of an answer share. */
export type RunnerView = { db: Reader; moment: Date; presenting: PresentingUsers }

const runners = of<RunnerRow, RunnerView>().facts({
  busy: (rows, { db }) =>
    busyIds(
      db,
      'runner_id',
      rows.map(({ id }) => id),
    ),
  creators: (rows, { db }) =>
    usersByIds(
      db,
      rows.flatMap(({ creator_id }) => creator_id ?? []),
    ),
})

const execution = oneOf(['idle', 'active'])

/** A runner in lists (contract 04, Runner). */
export const Runner = object('Runner', runners, {
  id: forms.id,
  description: forms.nullableString,
  ip_address: forms.nullableString,
  active: computed(Type.Boolean({ description: 'The contrary of `paused`.' }), ({ paused }) => !paused),
  paused: Type.Boolean(),
  is_shared: computed(
    Type.Boolean({ description: 'Whether it is a runner of the instance.' }),
    ({ runner_type }) => runner_type === 'instance_type',
  ),
  runner_type: oneOf(runnerTypes),
  name: forms.nullableString,
  online: computed(nullable(Type.Boolean()), (row, { moment }) => isOnline(row, moment)),
  created_at: forms.timestamp,
  created_by: fact(nullable(UserBasic), 'creators', ({ creator_id }, { creators, presenting }) => {
    const creator = creators.get(creator_id ?? 0)
    return creator?.removed_at === null ? presentUserBasic(creator, presenting) : null
  }),
  status: computed(oneOf(runnerStatuses), (row, { moment }) => statusAt(row, moment)),
  job_execution_status: fact(execution, 'busy', ({ id }, { busy }) => (busy.has(id) ? 'active' : 'idle')),
})
export type PresentedRunner = Static<typeof Runner>

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

const system = {
  version: forms.nullableString,
  revision: forms.nullableString,
  platform: forms.nullableString,
  architecture: forms.nullableString,
}

/** What one runner is shown with: its groups, and those of its projects that the caller can see. */
type Assigned = { projects: Static<typeof RunnerProject>[]; groups: Static<typeof RunnerGroup>[] }

/** One runner (contract 04, Runner detail). */
export const RunnerDetail = object('RunnerDetail', runners.ofRows<Assigned>(), {
  ...Runner.fields,
  tag_list: forms.strings,
  run_untagged: Type.Boolean(),
  locked: Type.Boolean(),
  maximum_timeout: forms.nullableInteger,
  access_level: oneOf(accessLevels),
  ...system,
  contacted_at: forms.nullableTimestamp,
  maintenance_note: forms.nullableString,
  projects: Type.Array(RunnerProject),
  groups: Type.Array(RunnerGroup),
})

/** A program that uses the token of a runner (contract 04, Runner manager). `busy` has the ids of those with a job. */
export const RunnerManager = object(
  'RunnerManager',
  of<RunnerManagerRow, { moment: Date; busy: ReadonlySet<number> }>(),
  {
    id: forms.id,
    system_id: Type.String(),
    ...system,
    created_at: forms.timestamp,
    contacted_at: forms.nullableTimestamp,
    ip_address: forms.nullableString,
    status: computed(oneOf(runnerStatuses), (row, { moment }) => statusAt(row, moment)),
    job_execution_status: computed(execution, ({ id }, { busy }) => (busy.has(id) ? 'active' : 'idle')),
  },
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
