import { type Actor, dayOf, isAdministrator, type TSchema } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { type Group, withLevel } from './access.ts'
import { type PresentedGroup, type PresentedGroupDetail, presentGroup, presentGroupDetail } from './present.ts'
import { type Sight, sightOf } from './sight.ts'
import { type Sizes, sizesOf } from './store/groups.ts'
import { invitedTo } from './store/links.ts'

/** The projects of a group, made by whoever knows projects. */
export type ProjectsOfGroup = {
  /** Schema of one of them. */
  schema: TSchema
  /** At most 100 of its own, and at most 100 that were shared with it, that the actor sees. */
  of(group: NamespaceRow, actor: Actor): Promise<{ projects: unknown[]; shared_projects: unknown[] }>
}

export type PresentingNeeds = { database: Database; clock: Clock; externalUrl: string; projects?: ProjectsOfGroup }

/** What a caller asked to see besides. */
export type Extras = { statistics?: boolean; with_custom_attributes?: boolean; with_projects?: boolean }

/** Loads what the objects of groups show, for a whole page at once, and makes them. */
export type GroupPresenting = ReturnType<typeof createGroupPresenting>

const noSizes: Sizes = { repositoryBytes: 0, wikiBytes: 0, lfsBytes: 0 }

export function createGroupPresenting({ database, clock, externalUrl, projects }: PresentingNeeds) {
  const db = database.read

  async function list(actor: Actor, rows: readonly NamespaceRow[], extras: Extras): Promise<PresentedGroup[]> {
    const administrator = isAdministrator(actor)
    const counts = extras.statistics === true && administrator
    const ids = rows.map(({ id }) => id)
    const roots = rows.filter(({ parent_id }) => parent_id === null).map(({ id }) => id)
    const sizes = counts ? await sizesOf(db, ids, 'own') : undefined
    const rootSizes = counts ? await sizesOf(db, roots, 'below') : undefined
    const customAttributes = extras.with_custom_attributes === true && administrator
    return rows.map((row) =>
      presentGroup(row, {
        externalUrl,
        administrator,
        customAttributes,
        sizes: sizes && (sizes.get(row.id) ?? noSizes),
        rootSizes: row.parent_id === null ? rootSizes && (rootSizes.get(row.id) ?? noSizes) : undefined,
      }),
    )
  }

  async function detail(actor: Actor, group: Group, extras: Extras = {}): Promise<PresentedGroupDetail> {
    const sight: Sight = await sightOf(db, actor, clock.now())
    const administrator = isAdministrator(actor)
    const invited = await invitedTo(db, group.id, sight, dayOf(clock.now()))
    const within = extras.with_projects === false ? undefined : await projects?.of(group, actor)
    const customAttributes = extras.with_custom_attributes === true && administrator
    const owns = administrator || group.level >= role.owner
    return presentGroupDetail(group, { externalUrl, administrator, customAttributes }, { owns, invited, ...within })
  }

  return {
    list,
    detail,
    /** The detail of a row that was just written. */
    async detailOf(actor: Actor, row: NamespaceRow): Promise<PresentedGroupDetail> {
      return detail(actor, await withLevel(db, row, actor, dayOf(clock.now())))
    },
  }
}
