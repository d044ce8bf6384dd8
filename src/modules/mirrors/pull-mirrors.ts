import { type Actor, failure, invalid, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import type { Sealer } from '../../infra/secrets/index.ts'
import { changeSettings, type ProjectRow, settingsOf } from '../projects/index.ts'
import type { Settings } from '../settings/index.ts'
import { followingAddress, readAddress, shownAddress, withLogin } from './address.ts'
import { chosenBranches } from './branch-filter.ts'
import type { Schedule } from './schedule.ts'
import { openAddress, sealAddress } from './sealing.ts'
import { insertPullMirror, pullMirrorOf, updatePullMirror } from './store.ts'
import type { PullMirrorRow } from './tables.ts'

export type PullMirrorsNeeds = {
  database: Database
  clock: Clock
  settings: Pick<Settings, 'current'>
  sealer(): Promise<Sealer>
  schedule: Schedule
}

/** What can be said of a pull mirror; what is not said stays, or has its default. */
export type PullMirrorValues = {
  enabled?: boolean
  url?: string
  auth_user?: string
  auth_password?: string
  mirror_trigger_builds?: boolean
  only_mirror_protected_branches?: boolean
  mirror_overwrites_diverged_branches?: boolean
  mirror_branch_regex?: string | null
}

/** A pull mirror with the project whose settings say how it works. */
export type ConfiguredPullMirror = { mirror: PullMirrorRow; project: ProjectRow }

const table = 'pull_mirrors'
const notMirrored = () => failure(400, 'The project is not mirrored')

/** The place that a project is pulled from (contract 22, x.pmirror_*). */
export function createPullMirrors({ database, clock, settings, sealer, schedule }: PullMirrorsNeeds) {
  /** The address after a request; null when the request says nothing of it. @throws ApiError 400 */
  async function addressAfter(project: ProjectRow, before: PullMirrorRow | null, values: PullMirrorValues) {
    const { url, auth_user: user, auth_password: password } = values
    const saysNothing = url === undefined && user === undefined && password === undefined
    if (before && saysNothing) return null
    const kept = before && openAddress(await sealer(), before.sealed_url, project.id)
    if (!kept && (url === undefined || url.trim() === '')) throw invalid({ url: ["can't be blank"] })
    const given = url === undefined ? kept : readAddress(url, await settings.current())
    if (given === null || typeof given === 'string') throw invalid({ url: [given ?? "can't be blank"] })
    const address = withLogin(followingAddress(given, kept), user, password)
    return { url: shownAddress(address), sealed_url: sealAddress(await sealer(), address, project.id) }
  }

  type Change = {
    values: PullMirrorValues
    address: Awaited<ReturnType<typeof addressAfter>>
    branches: ReturnType<typeof chosenBranches>
    actor: Actor
  }

  async function writeRow(tx: Tx, project: ProjectRow, { address, branches, actor }: Change): Promise<PullMirrorRow> {
    const moment = now(clock)
    const columns = {
      ...address,
      ...(branches.pattern === undefined ? {} : { mirror_branch_regex: branches.pattern }),
      user_id: actor.kind === 'user' ? actor.userId : null,
      failures: 0,
      updated_at: moment,
    }
    const before = await pullMirrorOf(tx, project.id)
    const after = before
      ? await updatePullMirror(tx, before.id, columns)
      : address && (await insertPullMirror(tx, { ...columns, ...address, project_id: project.id, created_at: moment }))
    if (!after) throw notMirrored()
    return after
  }

  /** Whether a project is a mirror, and how, is for its settings to say: they are changed elsewhere as well. */
  async function writeSettings(tx: Tx, project: ProjectRow, { values, branches, actor }: Change): Promise<ProjectRow> {
    const { enabled, mirror_trigger_builds, mirror_overwrites_diverged_branches } = values
    const changed = await changeSettings(
      tx,
      project.id,
      {
        mirror: enabled,
        mirror_user_id: actor.kind === 'user' ? actor.userId : null,
        mirror_trigger_builds,
        mirror_overwrites_diverged_branches,
        only_mirror_protected_branches: branches.onlyProtected,
      },
      now(clock),
    )
    if (!changed) throw notFound('Project')
    return changed
  }

  async function write(tx: Tx, project: ProjectRow, change: Change): Promise<ConfiguredPullMirror> {
    const wasOn = settingsOf(project).mirror
    const changed = await writeSettings(tx, project, change)
    const mirror = await writeRow(tx, project, change)
    const isOn = settingsOf(changed).mirror
    if (!isOn || (wasOn && !change.address)) return { mirror, project: changed }
    await schedule.now(tx, table, [mirror.id])
    return { mirror: (await pullMirrorOf(tx, project.id)) ?? mirror, project: changed }
  }

  return {
    /** @throws ApiError 400 when there is none */
    async get(project: ProjectRow): Promise<ConfiguredPullMirror> {
      const mirror = await pullMirrorOf(database.read, project.id)
      if (!mirror) throw notMirrored()
      return { mirror, project }
    },

    /** Sets the mirror up, or changes it; what is switched on, or leads elsewhere now, is pulled at once. @throws ApiError 400 */
    async put(project: ProjectRow, values: PullMirrorValues, actor: Actor): Promise<ConfiguredPullMirror> {
      const { only_mirror_protected_branches: onlyProtected, mirror_branch_regex: pattern } = values
      const branches = chosenBranches(onlyProtected, pattern, 'only_mirror_protected_branches')
      const before = await pullMirrorOf(database.read, project.id)
      const address = await addressAfter(project, before, values)
      return database
        .write((tx) => write(tx, project, { values, address, branches, actor }))
        .catch((error) => {
          // Somebody else set one up at the same moment.
          throw isUniqueViolation(error, 'pull_mirrors_project_unique')
            ? invalid({ base: ['Project has already been taken'] })
            : error
        })
    },

    /** Pulls now, and lets a mirror that was given up go on. @throws ApiError 400 when the project is no mirror */
    async start(project: ProjectRow): Promise<void> {
      await database.write(async (tx) => {
        const mirror = await pullMirrorOf(tx, project.id)
        if (!mirror || !settingsOf(project).mirror) throw notMirrored()
        await updatePullMirror(tx, mirror.id, { failures: 0 })
        await schedule.now(tx, table, [mirror.id])
      })
    },
  }
}

export type PullMirrors = ReturnType<typeof createPullMirrors>
