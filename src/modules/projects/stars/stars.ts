import { type Actor, forms, isAdministrator, notFound, type Page, type PageRequest, Type } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../../infra/database/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic } from '../../users/index.ts'
import type { Project } from '../core/access.ts'
import { holdProject, updateProject } from '../core/store.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import { deleteStar, insertStar, pageOfStarrers } from './store.ts'

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

type StarrersFilter = { search?: string | undefined; actor: Actor }

export function createStars({ database, clock, presenter, presentingUsers }: StarsNeeds) {
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
      return change(project, actor, (tx) => insertStar(tx, project.id, userId, now(clock)))
    },

    /** Takes a user's star back. */
    unstar(project: Project, actor: Actor, userId: number): Promise<Starred> {
      return change(project, actor, async (tx) => -(await deleteStar(tx, project.id, userId)))
    },

    /** Who starred a project, by user id; people with a private profile are seen by themselves and by administrators. */
    async starrers(
      project: Project,
      { search, actor }: StarrersFilter,
      page: PageRequest,
    ): Promise<Page<StarrerObject>> {
      const ownId = actor.kind === 'user' ? actor.userId : 0
      const filter = { search, privateOnlyOf: isAdministrator(actor) ? null : ownId }
      const found = await pageOfStarrers(database.read, project.id, filter, page)
      const presenting = await presentingUsers()
      const items = found.items.map(({ starred_since, ...user }) => {
        return { starred_since, user: presentUserBasic(user, presenting) }
      })
      return { ...found, items }
    },
  }
}

type StarrerObject = { starred_since: string; user: ReturnType<typeof presentUserBasic> }
