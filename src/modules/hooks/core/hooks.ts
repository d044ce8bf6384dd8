import { randomUUID } from 'node:crypto'
import { failure, type Page, type PageRequest, recordNotFound, type Unmodified } from '../../../api/index.ts'
import { acquireLock, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { type EventColumn, eventColumns, type WebHookRow } from '../tables.ts'
import type { HookOwner } from './owner.ts'
import type { HookChanges } from './params.ts'
import { hookObjects, type PresentedHook } from './present.ts'
import { openSecrets, replaceSecrets } from './secrets.ts'
import * as store from './store.ts'
import { checkBranchFilter, checkDraft, checkUrl, hookPolicy } from './validation.ts'

/** How many hooks one project or group may have (contract 20, plan limits). */
const limits = { project: 100, group: 50 } as const

/** A hook of an owner. @throws ApiError 404 */
export async function requireHook(db: Reader, owner: HookOwner, id: number): Promise<WebHookRow> {
  const row = await store.hookOf(db, owner, id)
  if (!row) throw recordNotFound()
  return row
}

async function presentHooks({ clock }: Platform, db: Reader, { kind }: HookOwner, rows: readonly WebHookRow[]) {
  return hookObjects[kind].presentAll(rows, { db, moment: clock.now() }) as Promise<PresentedHook[]>
}

async function presentHook(platform: Platform, db: Reader, owner: HookOwner, row: WebHookRow): Promise<PresentedHook> {
  const [presented] = await presentHooks(platform, db, owner, [row])
  return presented as PresentedHook
}

/** A page of hooks, by id (contract 21, x.project_hooks_list). */
export async function listHooks(platform: Platform, owner: HookOwner, page: PageRequest): Promise<Page<PresentedHook>> {
  const db = platform.database.read
  const found = await store.pageOfHooks(db, owner, page)
  return { ...found, items: await presentHooks(platform, db, owner, found.items) }
}

/** One hook (contract 21, x.project_hooks_get). @throws ApiError 404 */
export async function getHook(platform: Platform, owner: HookOwner, id: number): Promise<PresentedHook> {
  const db = platform.database.read
  return presentHook(platform, db, owner, await requireHook(db, owner, id))
}

/** Checks a hook as it would be stored. @throws ApiError 422 */
async function check(
  { settings }: Platform,
  owner: HookOwner,
  row: Pick<WebHookRow, 'url' | 'push_events_branch_filter' | 'branch_filter_strategy'>,
  given: HookChanges,
  variables: ReadonlyMap<string, string>,
): Promise<void> {
  checkUrl(row.url, variables, hookPolicy(await settings.current(), owner))
  checkBranchFilter(row)
  checkDraft({
    name: given.name ?? null,
    description: given.description ?? null,
    token: given.token ?? null,
    custom_webhook_template: given.custom_webhook_template ?? null,
    url_variables: given.url_variables ?? [],
    custom_headers: given.custom_headers ?? [],
  })
}

const orNull = (text: string | null | undefined) => (text === undefined || text === null || text === '' ? null : text)

/** The flags of a new hook: pushes only, of the instance updates of repositories only (contract 21). */
function newFlags({ kind }: HookOwner, given: HookChanges): Record<EventColumn, boolean> {
  const isDefault = kind === 'instance' ? 'repository_update_events' : 'push_events'
  const entries = eventColumns.map((column) => [column, given[column] ?? column === isDefault])
  return Object.fromEntries(entries) as Record<EventColumn, boolean>
}

/** Under the lock of the owner. @throws ApiError 422 when there is no room */
async function requireRoom(tx: Tx, owner: HookOwner): Promise<void> {
  if (owner.kind === 'instance') return
  await acquireLock(tx, `web_hooks:${owner.kind}:${owner.id}`)
  const limit = limits[owner.kind]
  if ((await store.countHooks(tx, owner)) < limit) return
  throw failure(422, { base: [`Maximum number of ${owner.kind} hooks (${limit}) exceeded`] })
}

async function storeGiven(platform: Platform, tx: Tx, id: number, given: HookChanges): Promise<void> {
  const { token, url_variables: variables, custom_headers: headers } = given
  if (token !== undefined) {
    await replaceSecrets(platform, tx, id, 'token', token ? [{ key: '', value: token }] : [])
  }
  if (variables) await replaceSecrets(platform, tx, id, 'url_variable', variables)
  if (headers) await replaceSecrets(platform, tx, id, 'custom_header', headers)
}

/** Creates a hook (contract 21, x.project_hooks_create). @throws ApiError 422 */
export async function createHook(
  platform: Platform,
  owner: HookOwner,
  given: HookChanges & { url: string },
  act: Act,
): Promise<PresentedHook> {
  const moment = now(platform.clock)
  const row = {
    ...newFlags(owner, given),
    uuid: randomUUID(),
    project_id: owner.kind === 'project' ? owner.id : null,
    namespace_id: owner.kind === 'group' ? owner.id : null,
    url: given.url,
    name: orNull(given.name),
    description: orNull(given.description),
    push_events_branch_filter: orNull(given.push_events_branch_filter),
    branch_filter_strategy: given.branch_filter_strategy ?? 'wildcard',
    enable_ssl_verification: given.enable_ssl_verification ?? true,
    custom_webhook_template: orNull(given.custom_webhook_template),
    disabled_until: null,
    lease_job_id: null,
    lease_until: null,
    created_at: moment,
    updated_at: moment,
  }
  const variables = new Map((given.url_variables ?? []).map(({ key, value }) => [key, value]))
  await check(platform, owner, row, given, variables)
  return platform.database.write(async (tx) => {
    await requireRoom(tx, owner)
    const stored = await store.insertHook(tx, row)
    await storeGiven(platform, tx, stored.id, given)
    await act(tx, stored.id)
    return presentHook(platform, tx, owner, stored)
  })
}

function changesOf(given: HookChanges) {
  const flags = eventColumns.flatMap((column) => (given[column] === undefined ? [] : [[column, given[column]]]))
  const texts = (['name', 'description', 'push_events_branch_filter', 'custom_webhook_template'] as const).flatMap(
    (column) => (given[column] === undefined ? [] : [[column, orNull(given[column])]]),
  )
  return {
    ...Object.fromEntries([...flags, ...texts]),
    ...(given.url === undefined ? {} : { url: given.url }),
    ...(given.branch_filter_strategy === undefined ? {} : { branch_filter_strategy: given.branch_filter_strategy }),
    ...(given.enable_ssl_verification === undefined ? {} : { enable_ssl_verification: given.enable_ssl_verification }),
  }
}

/** Changes a hook (contract 21, x.project_hooks_update). @throws ApiError 404, 422 */
export async function updateHook(
  platform: Platform,
  owner: HookOwner,
  id: number,
  given: HookChanges,
  act: Act,
): Promise<PresentedHook> {
  return platform.database.write(async (tx) => {
    const held = await store.heldHook(tx, owner, id)
    if (!held) throw recordNotFound()
    const changes = changesOf(given)
    const { variables } = await openSecrets(platform, await store.secretsOf(tx, [id]))
    const next = given.url_variables ? new Map(given.url_variables.map(({ key, value }) => [key, value])) : variables
    await check(platform, owner, { ...held, ...changes }, given, next)
    const row = await store.updateHook(tx, id, { ...changes, updated_at: now(platform.clock) })
    await storeGiven(platform, tx, id, given)
    await act(tx, id)
    return presentHook(platform, tx, owner, row)
  })
}

/** Deletes a hook with its deliveries (contract 21, x.project_hooks_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteHook(
  { database }: Platform,
  owner: HookOwner,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const held = await store.heldHook(tx, owner, id)
    if (!held) throw recordNotFound()
    unmodified(held.updated_at)
    await store.deleteHookRow(tx, id)
    await act(tx, id)
  })
}
