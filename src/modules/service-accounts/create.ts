import { type Actor, type ApiError, badRequest, forbidden, isAdministrator } from '../../api/index.ts'
import { acquireLock, now, type Tx } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { type Platform, recordAct } from '../../platform/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'
import { createUserRows, type Naming, namingProblems, type UserRow } from '../users/index.ts'
import { type Refuse, refusingDuplicates, requireNaming } from './naming.ts'
import { presentAccount } from './present.ts'
import { type AccountOwner, countAccounts, countAccountsOf, ownerColumnOf } from './store.ts'

declare module '../../platform/platform.ts' {
  interface Questions {
    /** Whether the group has verified the domain of an e-mail address. */
    'service_accounts.is_verified'(groupId: number, email: string): Promise<boolean>
  }
}

const randomBytes = 16

/** A new user name that no account and no group has (contract 12, Generated names). */
async function generatedName({ database }: Platform, owner: AccountOwner | null): Promise<string> {
  const prefix = owner === null ? 'service_account_' : `service_account_${owner.kind}_${owner.id}_`
  for (;;) {
    const username = `${prefix}${randomHex(randomBytes)}`
    const { username: problems = [] } = await namingProblems(database.read, { username })
    if (problems.length === 0) return username
  }
}

/** Whether a given address is confirmed without a mail (contract 12, Generated names). */
async function isConfirmed(platform: Platform, owner: AccountOwner | null, email: string): Promise<boolean> {
  const { email_confirmation_setting: confirmation } = await platform.settings.current()
  if (confirmation !== 'hard') return true
  return owner?.kind === 'group' && platform.ports['service_accounts.is_verified'](platform, owner.id, email)
}

/** @throws ApiError what `refuse` returns when the instance has as many accounts as it may have */
async function requireSeat({ config }: Platform, tx: Tx, refuse: () => ApiError): Promise<void> {
  const { serviceAccountsLimit: limit } = config
  if (limit === 0) return
  await acquireLock(tx, 'service_accounts.limit')
  if ((await countAccounts(tx)) >= limit) throw refuse()
}

const mostOfProject = 100

/** Requires that a project has room for another account. @throws ApiError 400 */
async function requireRoom(tx: Tx, owner: AccountOwner | null): Promise<void> {
  if (owner?.kind !== 'project') return
  await acquireLock(tx, `service_accounts.project.${owner.id}`)
  if ((await countAccountsOf(tx, owner.id)) < mostOfProject) return
  throw badRequest(`The limit of ${mostOfProject} service accounts of a project is reached`)
}

const noSeat = 'No more seats are available to create Service Account User'

/** What differs between accounts of a project or group and of the instance. */
type Kind = { owner: AccountOwner | null; refuse: Refuse; refuseSeat(): ApiError }

async function create(
  platform: Platform,
  wanted: Naming,
  actor: Actor,
  { owner, refuse, refuseSeat }: Kind,
): Promise<UserRow> {
  const { database, clock, externalUrl } = platform
  await requireNaming(database.read, wanted, refuse)
  const generated = await generatedName(platform, owner)
  const confirmed = wanted.email === undefined || (await isConfirmed(platform, owner, wanted.email))
  const createdAt = now(clock)
  return refusingDuplicates(refuse, () =>
    database.write(async (tx) => {
      await requireSeat(platform, tx, refuseSeat)
      await requireRoom(tx, owner)
      const row = await createUserRows(tx, {
        username: wanted.username ?? generated,
        name: wanted.name ?? 'Service account user',
        email: wanted.email ?? `${generated}@noreply.${new URL(externalUrl).hostname}`,
        bot_kind: 'service_account',
        external: true,
        confirmed_at: confirmed ? createdAt : null,
        projects_limit: 0,
        can_create_group: false,
        created_by_id: actor.kind === 'user' ? actor.userId : null,
        ...(owner && { [ownerColumnOf(owner)]: owner.id }),
        created_at: createdAt,
      })
      await recordAct(platform, tx, actor, {
        name: 'users.create',
        target: { kind: 'user', id: row.id },
        changed: wanted,
      })
      return row
    }),
  )
}

/**
 * Creates a service account of a top-level group or of a project (contract 3.25, 26.9).
 * @throws ApiError 400 in a subgroup, where the instance does not let owners create them, and for invalid or taken names
 */
export async function createAccountOf(platform: Platform, owner: ProjectOrGroup, wanted: Naming, actor: Actor) {
  const settings = await platform.settings.current()
  const mayOwners = settings.allow_top_level_group_owners_to_create_service_accounts
  if (owner.group?.parent_id || !(mayOwners || isAdministrator(actor))) {
    throw badRequest(`User does not have permission to create a service account in this ${owner.kind}.`)
  }
  const kind = { owner, refuse: badRequest, refuseSeat: () => badRequest(noSeat) }
  return presentAccount(await create(platform, wanted, actor, kind))
}

/** Creates a service account of the instance (contract 12, x.service_accounts.create). @throws ApiError 400 or 403 */
export async function createInstanceAccount(platform: Platform, wanted: Naming, actor: Actor) {
  const kind = { owner: null, refuse: badRequest, refuseSeat: () => forbidden(noSeat) }
  return presentAccount(await create(platform, wanted, actor, kind))
}
