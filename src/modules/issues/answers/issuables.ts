import { dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { assigneesOf, type Issuable, type KindAnswers } from '../../issuables/index.ts'
import { projectById } from '../../projects/index.ts'
import { usersByIds } from '../../users/index.ts'
import { issuableOf, readableAmong } from '../core/access.ts'
import { readersAmong } from '../core/assignable.ts'
import { issuesByIds } from '../core/store.ts'
import { presentIssues } from '../present/present.ts'
import { openCounts } from '../store.ts'
import { issuesAt, levelsIn } from './store/readers.ts'

/** Those of these users who may read the internal notes or the confidential issues of others: planners and administrators. */
async function plannersAmong(platform: Platform, db: Reader, projectId: number, userIds: readonly number[]) {
  const project = await projectById(db, projectId)
  if (!project) return new Set<number>()
  const [levels, users] = await Promise.all([
    levelsIn(db, project, { userIds, today: dayOf(platform.clock.now()) }),
    usersByIds(db, userIds),
  ])
  const plans = (id: number) => (levels.get(id) ?? 0) >= role.planner || users.get(id)?.is_admin === true
  return new Set(userIds.filter(plans))
}

async function readersOf(
  platform: Platform,
  db: Reader,
  issuable: Issuable,
  userIds: readonly number[],
  { internal } = { internal: false },
): Promise<ReadonlySet<number>> {
  const projectId = issuable.projectId ?? 0
  const project = userIds.length > 0 ? await projectById(db, projectId) : null
  if (!project) return new Set()
  const readers = await readersAmong(platform, db, project, userIds)
  if (!issuable.confidential && !internal) return new Set(readers)
  const planners = await plannersAmong(platform, db, projectId, readers)
  if (internal) return planners
  const assigned = (await assigneesOf(db, 'Issue', [issuable.id])).get(issuable.id) ?? []
  return new Set(readers.filter((id) => planners.has(id) || id === issuable.authorId || assigned.includes(id)))
}

const readable: KindAnswers['readable'] = async (platform, actor, ids) => {
  const rows = await issuesByIds(platform.database.read, ids)
  const found = await readableAmong(platform, rows, actor, dayOf(platform.clock.now()))
  return new Set(found.map(({ row }) => row.id))
}

const todoTargets: KindAnswers['todoTargets'] = async (platform, actor, ids) => {
  const rows = await issuesByIds(platform.database.read, ids)
  const found = await readableAmong(platform, rows, actor, dayOf(platform.clock.now()))
  const readableRows = found.map(({ row }) => row)
  const presented = await presentIssues(platform, readableRows, actor, { relativeTo: 'instance' })
  return new Map(presented.map((target) => [target.id, { target, web_url: target.web_url, title: target.title }]))
}

/** What issues answer to the module of what issuables have in common. */
export const issueAnswers: KindAnswers = {
  byIds: async (db, ids) => (await issuesByIds(db, ids)).map(issuableOf),
  byPlaces: async (db, places) => (await issuesAt(db, places)).map(issuableOf),
  readersOf,
  readable,
  todoTargets,
}

/** The number of open issues of projects, for their objects (contract 21, Project). */
export const openIssueCounts = ({ database }: Platform, projectIds: readonly number[]) =>
  openCounts(database.read, projectIds)
