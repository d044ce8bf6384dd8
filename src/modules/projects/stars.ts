import { sql } from 'kysely'
import {
  type Actor,
  forms,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  pageOfRows,
  Type,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { contains, type Database, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'
import type { Project } from './access.ts'
import type { PresentedProject, ProjectPresenter } from './present.ts'
import type { Condition } from './store/listing.ts'
import { holdProject, updateProject } from './store/projects.ts'
import type { ProjectRow } from './tables.ts'

export type StarsNeeds = {
  database: Database
  clock: Clock
  presenter: Pick<ProjectPresenter, 'presentProject'>
  presentingUsers(): Promise<PresentingUsers>
}

/** Somebody who has starred a project (contract 21, x.projects_starrers). */
export const Starrer = Type.Object({ starred_since: forms.timestamp, user: UserBasic }, { title: 'Starrer' })

/** The stars that people give to projects (contract 21). */
export type Stars = ReturnType<typeof createStars>

/** What became of a wish to star or unstar: the project, and whether anything changed. */
export type Starred = { isChanged: boolean; project: PresentedProject }

/** Projects that a user has starred, as a condition on `projects`. */
export function starredBy(userId: number): Condition {
  return sql<boolean>`exists (select 1 from project_stars s where s.project_id = projects.id and s.user_id = ${userId})`
}

/** Takes back all stars of a user, in the transaction in which the user goes. */
export async function removeStarsOf(tx: Tx, userId: number): Promise<void> {
  const starred = tx.selectFrom('project_stars').select('project_id').where('user_id', '=', userId)
  await tx
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where('id', 'in', starred)
    .execute()
  await tx.deleteFrom('project_stars').where('user_id', '=', userId).execute()
}

type StarrersFilter = { search?: string | undefined; actor: Actor }

/** Who starred a project; people with a private profile are seen by themselves and by administrators. */
function starrersOf(db: Reader, projectId: number, { search, actor }: StarrersFilter) {
  const query = db
    .selectFrom('project_stars')
    .innerJoin('users', 'users.id', 'project_stars.user_id')
    .where('project_stars.project_id', '=', projectId)
    .where('users.state', '=', 'active')
    .where('users.removed_at', 'is', null)
  const ownId = actor.kind === 'user' ? actor.userId : 0
  const open = isAdministrator(actor)
    ? query
    : query.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', ownId)]))
  if (!search) return open
  return open.where((eb) => eb.or([contains('users.name', search), contains('users.username', search)]))
}

export function createStars({ database, clock, presenter, presentingUsers }: StarsNeeds) {
  const db = database.read

  /** Writes one star more or less; the row is held, so that the count is right whoever else stars just now. */
  async function change(project: Project, actor: Actor, write: (tx: Tx) => Promise<number>): Promise<Starred> {
    const outcome = await database.write(async (tx): Promise<{ row: ProjectRow; isChanged: boolean }> => {
      const held = await holdProject(tx, project.id)
      if (!held || held.pending_delete) throw notFound('Project')
      const difference = await write(tx)
      if (difference === 0) return { row: held, isChanged: false }
      const row = await updateProject(tx, held.id, { star_count: held.star_count + difference })
      return { row: row ?? held, isChanged: true }
    })
    const presented = await presenter.presentProject({ ...outcome.row, role: project.role }, actor)
    return { isChanged: outcome.isChanged, project: presented }
  }

  return {
    /** Stars a project for a user. */
    star(project: Project, actor: Actor, userId: number): Promise<Starred> {
      return change(project, actor, async (tx) => {
        const star = { project_id: project.id, user_id: userId, created_at: now(clock) }
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('project_stars')
          .values(star)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return Number(numInsertedOrUpdatedRows ?? 0n)
      })
    },

    /** Takes a user's star back. */
    unstar(project: Project, actor: Actor, userId: number): Promise<Starred> {
      return change(project, actor, async (tx) => {
        const query = tx.deleteFrom('project_stars').where('project_id', '=', project.id).where('user_id', '=', userId)
        return -Number((await query.executeTakeFirst()).numDeletedRows)
      })
    },

    /** Who starred a project, by user id. */
    async starrers(project: Project, filter: StarrersFilter, page: PageRequest): Promise<Page<StarrerObject>> {
      const query = starrersOf(db, project.id, filter)
        .selectAll('users')
        .select('project_stars.created_at as starred_since')
        .orderBy('users.id')
      const found = await pageOfRows(db, query, page)
      const presenting = await presentingUsers()
      const items = found.items.map(({ starred_since, ...user }) => {
        return { starred_since, user: presentUserBasic(user as UserRow, presenting) }
      })
      return { ...found, items }
    },
  }
}

type StarrerObject = { starred_since: string; user: ReturnType<typeof presentUserBasic> }
