import {
  type Actor,
  forms,
  isAdministrator,
  type Page,
  type PageRequest,
  type Static,
  Type,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { presentingUsers, presentUserBasic, UserBasic } from '../../users/index.ts'
import { heldProject, type Project } from '../core/access.ts'
import { updateProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'
import { deleteStar, deleteStarsOf, insertStar, pageOfStarrers } from './store.ts'

/** A user who has starred a project (contract 21, x.projects_starrers). */
export const Starrer = Type.Object({ starred_since: forms.timestamp, user: UserBasic }, { title: 'Starrer' })

/** The project, and whether the request changed anything. */
type Starred = { isChanged: boolean; project: PresentedProject }

/** Changes the stars and their number. The row is locked, so that the number stays right when others star meanwhile. */
async function changeStars(
  platform: Platform,
  project: Project,
  actor: Actor,
  write: (tx: Tx) => Promise<number>,
): Promise<Starred> {
  const { row, isChanged } = await platform.database.write(async (tx) => {
    const held = await heldProject(tx, project.id)
    const difference = await write(tx)
    if (difference === 0) return { row: held, isChanged: false }
    const changed = await updateProject(tx, held.id, { star_count: held.star_count + difference })
    return { row: changed ?? held, isChanged: true }
  })
  return { isChanged, project: await presentProject(platform, { ...row, role: project.role }, actor) }
}

/** Stars a project. */
export function starProject(platform: Platform, project: Project, actor: UserActor): Promise<Starred> {
  const moment = now(platform.clock)
  return changeStars(platform, project, actor, (tx) => insertStar(tx, project.id, actor.userId, moment))
}

/** Removes the caller's star. */
export function unstarProject(platform: Platform, project: Project, actor: UserActor): Promise<Starred> {
  return changeStars(platform, project, actor, async (tx) => -(await deleteStar(tx, project.id, actor.userId)))
}

/** The users who starred a project, by id. Private profiles are visible to their owners and to administrators. */
export async function listStarrers(
  platform: Platform,
  project: Project,
  { search, actor }: { search: string | undefined; actor: Actor },
  page: PageRequest,
): Promise<Page<Static<typeof Starrer>>> {
  const ownId = actor.kind === 'user' ? actor.userId : 0
  const filter = { search, privateOnlyOf: isAdministrator(actor) ? null : ownId }
  const found = await pageOfStarrers(platform.database.read, project.id, filter, page)
  const presenting = await presentingUsers(platform)
  const items = found.items.map(({ starred_since, ...user }) => {
    return { starred_since, user: presentUserBasic(user, presenting) }
  })
  return { ...found, items }
}

/** Removes the stars of a removed user. */
export const removeStars: Reaction<Events['user.removed']> = (_platform, tx, { userId }) => deleteStarsOf(tx, userId)
