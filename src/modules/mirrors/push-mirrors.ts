import { failure, invalid, type Page, type PageRequest, pathId, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Sealer } from '../../infra/secrets/index.ts'
import type { PushRow } from '../events/index.ts'
import type { Settings } from '../settings/index.ts'
import { readAddress, shownAddress } from './address.ts'
import { chosenBranches } from './branch-filter.ts'
import { pauseMs } from './push-runs.ts'
import type { Schedule } from './schedule.ts'
import { sealAddress } from './sealing.ts'
import {
  countRemoteMirrors,
  deleteRemoteMirror,
  insertRemoteMirror,
  pageOfRemoteMirrors,
  remoteMirrorOf,
  remoteMirrorsOfRepository,
  updateRemoteMirror,
} from './store.ts'
import type { RemoteMirrorRow } from './tables.ts'

export type PushMirrorsNeeds = {
  database: Database
  clock: Clock
  settings: Pick<Settings, 'current'>
  sealer(): Promise<Sealer>
  schedule: Schedule
}

/** What can be said of a push mirror; what is not said stays, or has its default. */
export type PushMirrorValues = {
  enabled?: boolean
  only_protected_branches?: boolean
  keep_divergent_refs?: boolean
  mirror_branch_regex?: string | null
  auth_method?: 'password' | 'ssh_public_key'
}

type Place = { id: number }

const table = 'remote_mirrors'
/** Every push to a project is a push to each of them. */
const maximumMirrors = 20

function columnsOf({ only_protected_branches, mirror_branch_regex, ...plain }: PushMirrorValues) {
  const branches = chosenBranches(only_protected_branches, mirror_branch_regex, 'only_protected_branches')
  return {
    ...plain,
    ...(branches.onlyProtected === undefined ? {} : { only_protected_branches: branches.onlyProtected }),
    ...(branches.pattern === undefined ? {} : { mirror_branch_regex: branches.pattern }),
  }
}

/** The places that projects are pushed to (contract 22, x.rmirror_*). */
export function createPushMirrors({ database, clock, settings, sealer, schedule }: PushMirrorsNeeds) {
  async function find(tx: Tx, project: Place, id: string | undefined): Promise<RemoteMirrorRow> {
    const row = await remoteMirrorOf(tx, project.id, pathId(id))
    if (!row) throw recordNotFound()
    return row
  }

  async function afterwards(tx: Tx, project: Place, id: number): Promise<RemoteMirrorRow> {
    const row = await remoteMirrorOf(tx, project.id, id)
    if (!row) throw recordNotFound()
    return row
  }

  return {
    list: (project: Place, page: PageRequest): Promise<Page<RemoteMirrorRow>> =>
      pageOfRemoteMirrors(database.read, project.id, page),

    /** @throws ApiError 404 */
    async get(project: Place, id: string | undefined): Promise<RemoteMirrorRow> {
      const row = await remoteMirrorOf(database.read, project.id, pathId(id))
      if (!row) throw recordNotFound()
      return row
    },

    /** Adds a mirror; one that is enabled is brought up to date at once. @throws ApiError 400 */
    async create(project: Place, { url, ...values }: PushMirrorValues & { url: string }): Promise<RemoteMirrorRow> {
      const columns = columnsOf(values)
      const address = readAddress(url, await settings.current())
      if (typeof address === 'string') throw invalid({ url: [address] })
      const sealed = sealAddress(await sealer(), address, project.id)
      return database.write(async (tx) => {
        if ((await countRemoteMirrors(tx, project.id)) >= maximumMirrors) {
          throw invalid({ base: [`Maximum number of remote mirrors (${maximumMirrors}) exceeded`] })
        }
        const moment = now(clock)
        const row = await insertRemoteMirror(tx, {
          project_id: project.id,
          url: shownAddress(address),
          sealed_url: sealed,
          ...columns,
          created_at: moment,
          updated_at: moment,
        })
        if (!row.enabled) return row
        await schedule.now(tx, table, [row.id])
        return afterwards(tx, project, row.id)
      })
    },

    /** Changes a mirror; one that becomes enabled is brought up to date at once. @throws ApiError 400, 404 */
    async update(project: Place, id: string | undefined, values: PushMirrorValues): Promise<RemoteMirrorRow> {
      return database.write(async (tx) => {
        const before = await find(tx, project, id)
        const columns = columnsOf(values)
        const after = await updateRemoteMirror(tx, before.id, { ...columns, updated_at: now(clock) })
        if (!after) throw recordNotFound()
        if (after.enabled && !before.enabled) await schedule.now(tx, table, [after.id])
        return afterwards(tx, project, after.id)
      })
    },

    /**
     * @param requireUnmodified throws when the mirror has changed since the time that the caller named
     * @throws ApiError 404, 412
     */
    async remove(project: Place, id: string | undefined, requireUnmodified: (updatedAt: string) => void) {
      await database.write(async (tx) => {
        const row = await find(tx, project, id)
        requireUnmodified(row.updated_at)
        await deleteRemoteMirror(tx, row.id)
      })
    },

    /** Brings a mirror up to date now, however short a time ago that was done last. @throws ApiError 400, 404 */
    async sync(project: Place, id: string | undefined): Promise<void> {
      await database.write(async (tx) => {
        const row = await find(tx, project, id)
        if (!row.enabled) throw failure(400, 'Cannot proceed with the push mirroring. The mirror is disabled')
        await schedule.now(tx, table, [row.id])
      })
    },

    /** Has the mirrors follow a push; one that was updated a moment ago waits, so that many pushes become one. */
    async afterPush({ repository_id: repositoryId }: Pick<PushRow, 'repository_id'>): Promise<void> {
      const mirrors = await remoteMirrorsOfRepository(database.read, repositoryId)
      if (mirrors.length === 0) return
      const nowMs = clock.now().getTime()
      const isResting = (mirror: RemoteMirrorRow) =>
        mirror.last_update_started_at !== null && Date.parse(mirror.last_update_started_at) + pauseMs(mirror) > nowMs
      const waiting = Map.groupBy(mirrors, (mirror) => (isResting(mirror) ? pauseMs(mirror) : 0))
      await database.write(async (tx) => {
        for (const [ms, group] of waiting) {
          const ids = group.map(({ id }) => id)
          await (ms === 0 ? schedule.now(tx, table, ids) : schedule.after(tx, table, ids, ms))
        }
      })
    },
  }
}

export type PushMirrors = ReturnType<typeof createPushMirrors>
