import { type Actor, dayOf, isAdministrator, notFound, type Page, type PageRequest } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import { type PresentedNamespace, presentNamespace } from './present.ts'
import { namespaceFacts } from './store/facts.ts'
import { avatarsOfUsers, listNamespaces } from './store/listing.ts'
import { namespaceById, namespaceByPath } from './store/namespaces.ts'
import { isPathTaken, takenAmong } from './store/routes.ts'
import type { NamespaceRow } from './tables.ts'

/** The level from which somebody manages a namespace. */
const owner = 50

type Levels = ReadonlyMap<number, number>

export type NamespacesNeeds = {
  database: Database
  clock: Clock
  externalUrl: string
  /** The namespaces in which a user has a role of their own, with the level (the roles are those of the members). */
  namespaceRoles(db: Reader, userId: number, today: string): Promise<Levels>
  /** The highest of these roles that reaches each of these namespaces. */
  inheritedLevels(db: Reader, roles: Levels, namespaceIds: readonly number[]): Promise<Levels>
}

export type NamespaceFilter = {
  search?: string
  owned_only?: boolean
  top_level_only?: boolean
  full_path_search?: boolean
}

/** The namespaces as the API shows them, personal ones and groups (contract 21, "namespaces"). */
export type Namespaces = ReturnType<typeof createNamespaces>

/** How many suggestions are looked up at once. */
const suggestionsAtOnce = 100

export function createNamespaces(needs: NamespacesNeeds) {
  const { database, clock, externalUrl } = needs
  const db = database.read

  async function rolesOf(actor: Actor): Promise<Levels> {
    return actor.kind === 'user' ? needs.namespaceRoles(db, actor.userId, dayOf(clock.now())) : new Map()
  }

  async function present(actor: Actor, rows: readonly NamespaceRow[], levels: Levels): Promise<PresentedNamespace[]> {
    const administrator = isAdministrator(actor)
    const managed = rows.filter(({ id }) => administrator || (levels.get(id) ?? 0) >= owner).map(({ id }) => id)
    const facts = await namespaceFacts(db, managed)
    const avatars = await avatarsOfUsers(
      db,
      rows.flatMap(({ owner_id }) => owner_id ?? []),
    )
    return rows.map((row) =>
      presentNamespace(row, {
        externalUrl,
        administrator,
        facts: facts.get(row.id),
        ownerAvatar: avatars.get(row.owner_id ?? 0) ?? null,
      }),
    )
  }

  /** Whether somebody sees that a namespace is there. */
  async function levelIfVisible(actor: Actor, row: NamespaceRow): Promise<Levels | null> {
    const levels = await needs.inheritedLevels(db, await rolesOf(actor), [row.id])
    if (isAdministrator(actor) || (levels.get(row.id) ?? 0) > 0) return levels
    if (row.kind === 'user' || actor.kind !== 'user') return null
    const open = row.visibility === 'public' || (row.visibility === 'internal' && !actor.external && !actor.bot)
    return open ? levels : null
  }

  return {
    /** The caller's namespaces, the personal one first, then by id; administrators see all (x.namespaces_list). */
    async list(actor: Actor, filter: NamespaceFilter, page: PageRequest): Promise<Page<PresentedNamespace>> {
      const roles = await rolesOf(actor)
      const least = filter.owned_only ? owner : 1
      const own = [...roles].filter(([, level]) => level >= least).map(([id]) => id)
      const wanted = {
        atOrBelow: filter.owned_only || !isAdministrator(actor) ? own : null,
        topLevelOnly: filter.top_level_only === true,
        search: filter.search,
        searchesFullPath: filter.full_path_search === true,
      }
      const { items: rows, total, hasNext } = await listNamespaces(db, wanted, page)
      const ids = rows.map(({ id }) => id)
      const levels = await needs.inheritedLevels(db, roles, ids)
      return { items: await present(actor, rows, levels), total, hasNext }
    },

    /**
     * @param text id, or full path (x.namespaces_get)
     * @throws ApiError 404 Namespace
     */
    async get(actor: Actor, text: string): Promise<PresentedNamespace> {
      const row = /^\d+$/.test(text) ? await namespaceById(db, Number(text)) : await namespaceByPath(db, text)
      const levels = row && !row.pending_delete ? await levelIfVisible(actor, row) : null
      if (!row || !levels) throw notFound('Namespace')
      return (await present(actor, [row], levels))[0] as PresentedNamespace
    },

    /**
     * Whether a path is taken, with a free one like it when it is (x.namespaces_exists). What lies below a namespace that the
     * caller does not see is not told.
     */
    async exists(actor: Actor, path: string, parentId: number | undefined) {
      const parent = parentId === undefined ? null : await namespaceById(db, parentId)
      if (parentId !== undefined && !(parent && (await levelIfVisible(actor, parent)))) {
        return { exists: false, suggests: [] }
      }
      const fullPath = parent ? `${parent.full_path}/${path}` : path
      if (!(await isPathTaken(db, fullPath))) return { exists: false, suggests: [] }
      const suggestion = await freeNumber(db, fullPath)
      return { exists: true, suggests: [`${path}${suggestion}`] }
    },
  }
}

/** The smallest number that makes a free path when it is put behind a taken one. */
async function freeNumber(db: Reader, fullPath: string): Promise<number> {
  for (let from = 1; ; from += suggestionsAtOnce) {
    const numbers = Array.from({ length: suggestionsAtOnce }, (_, index) => from + index)
    const pathOf = (number: number) => `${fullPath}${number}`.toLowerCase()
    const taken = await takenAmong(db, numbers.map(pathOf))
    const free = numbers.find((number) => !taken.has(pathOf(number)))
    if (free !== undefined) return free
  }
}
