import {
  type Actor,
  ApiError,
  forbidden,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  type ParamValues,
  type RateCounter,
  t,
  tooManyRequests,
  unauthorized,
} from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Settings } from '../settings/index.ts'
import { requireUser } from './accounts.ts'
import { loadUserFacts, withoutFacts } from './facts.ts'
import { listUsers } from './list.ts'
import { type Level, type PresentingUsers, presentUser } from './present.ts'
import { identityOf } from './rules.ts'
import { type Flag, flags, sortColumns, type UserFilter } from './store/list.ts'
import { userById } from './store/users.ts'
import { isKnownToExternal } from './store/visibility.ts'
import type { UserRow } from './tables.ts'

export type DirectoryNeeds = {
  database: Database
  settings: Settings
  presenting(): Promise<PresentingUsers>
  rateCounter: RateCounter
}

const flag = t.boolean()

export const listUsersParams = {
  username: t.string({ description: 'Exactly this user name, whatever its case.' }),
  public_email: t.string(),
  search: t.string({ description: 'Part of the name, the user name or the public e-mail address.' }),
  active: flag,
  blocked: flag,
  external: flag,
  humans: flag,
  without_projects: flag,
  admins: flag,
  exclude_active: flag,
  exclude_external: flag,
  exclude_humans: flag,
  exclude_internal: flag,
  without_project_bots: flag,
  skip_ldap: flag,
  extern_uid: t.string(),
  provider: t.string(),
  created_after: t.datetime(),
  created_before: t.datetime(),
  two_factor: t.oneOf(['enabled', 'disabled']),
  order_by: t.oneOf(sortColumns),
  sort: t.oneOf(['asc', 'desc']),
}

type ListParams = ParamValues<typeof listUsersParams>

/** What only administrators may ask; what others ask of it is not heard. */
const administratorFlags: readonly Flag[] = ['without_projects', 'admins', 'skip_ldap']

function requireListAccess(actor: Actor, params: ListParams): void {
  if (actor.kind === 'anonymous' && !params.username) throw forbidden('Not authorized to access /api/v4/users')
  const asksForIdentity = params.extern_uid !== undefined || params.provider !== undefined
  if (!asksForIdentity || isAdministrator(actor)) return
  throw actor.kind === 'anonymous' ? unauthorized() : forbidden()
}

function readerOf(actor: Actor): UserFilter['reader'] {
  if (isAdministrator(actor)) return 'administrator'
  return actor.kind === 'user' && actor.external ? { externalUserId: actor.userId } : 'anybody'
}

function filterOf(params: ListParams, actor: Actor): UserFilter {
  const isAdmin = isAdministrator(actor)
  const asked = (Object.keys(flags) as Flag[]).filter((name) => params[name] === true)
  return {
    reader: readerOf(actor),
    flags: isAdmin ? asked : asked.filter((name) => !administratorFlags.includes(name)),
    username: params.username || undefined,
    publicEmail: params.public_email || undefined,
    search: params.search || undefined,
    ...(isAdmin
      ? {
          identity: identityOf(params),
          createdAfter: params.created_after,
          createdBefore: params.created_before,
          twoFactor: params.two_factor,
        }
      : {}),
    orderBy: (isAdmin && params.order_by) || 'id',
    sort: params.sort ?? 'desc',
  }
}

const tenMinutes = 600

/** Reads users for whoever asks, each as far as they may see them (contract 20 R9). */
export function createDirectory({ database, settings, presenting, rateCounter }: DirectoryNeeds) {
  /** Users of one page at a level, with a fixed number of queries. */
  async function present(level: Level, users: readonly UserRow[], reader: Actor) {
    const isShort = level === 'basic' || level === 'single'
    const facts = isShort ? withoutFacts : await loadUserFacts(database.read, users)
    const context = { reader, facts, presenting: await presenting() }
    return users.map((user) => presentUser(level, user, context))
  }

  async function presentOne(level: Level, user: UserRow, reader: Actor): Promise<Record<string, unknown>> {
    const [object] = await present(level, [user], reader)
    return object ?? {}
  }

  async function list(params: ListParams, actor: Actor, page: PageRequest): Promise<Page<Record<string, unknown>>> {
    requireListAccess(actor, params)
    const found = await listUsers(database.read, filterOf(params, actor), page)
    const items = await present(isAdministrator(actor) ? 'administrator' : 'basic', found.items, actor)
    return { ...found, items }
  }

  /** An application limit: whoever is no administrator cannot read through all accounts (contract 20, x.users_get). */
  async function countRead(actor: Actor): Promise<void> {
    if (actor.kind !== 'user' || actor.administrator) return
    const requests = (await settings.current()).users_get_by_id_limit
    if (requests === 0) return
    const throttle = { name: 'users_get_by_id', requests, periodSeconds: tenMinutes }
    const { observed, resetsAtSeconds, nowSeconds } = await rateCounter.hit(
      `${throttle.name}:${actor.userId}`,
      throttle,
    )
    if (observed > requests) throw tooManyRequests(resetsAtSeconds - nowSeconds)
  }

  async function get(id: string, actor: Actor): Promise<Record<string, unknown>> {
    const user = await requireUser(database.read, id).catch((error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    })
    const isMissing = user instanceof ApiError || !(await isVisible(user, actor))
    // A guess that finds nothing counts as well, or the limit would hinder nobody who guesses.
    await countRead(actor)
    if (isMissing) throw notFound('User')
    return presentOne(isAdministrator(actor) ? 'detail' : 'single', user, actor)
  }

  async function isVisible(user: UserRow, actor: Actor): Promise<boolean> {
    if (actor.kind !== 'user' || !actor.external || actor.administrator || actor.userId === user.id) return true
    return isKnownToExternal(database.read, user, actor.userId)
  }

  async function own(actor: Actor): Promise<Record<string, unknown>> {
    const user = actor.kind === 'user' ? await userById(database.read, actor.userId) : null
    if (!user) throw unauthorized()
    return presentOne(isAdministrator(actor) ? 'administrator' : 'own', user, actor)
  }

  return { list, get, own, presentOne }
}

export type Directory = ReturnType<typeof createDirectory>
