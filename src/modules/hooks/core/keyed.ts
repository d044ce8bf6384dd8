import { failure, notFound, recordNotFound } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import type { WebHookRow } from '../tables.ts'
import type { HookOwner } from './owner.ts'
import { openSecrets, type Pair, storeSecrets } from './secrets.ts'
import * as store from './store.ts'
import { checkUrl, headerCountProblems, hookPolicy, illegalKeyOrValue, isHeader, isVariable } from './validation.ts'

/** What a hook has by key: variables of its URL, and headers. */
export type KeyedKind = 'url_variable' | 'custom_header'

const nouns = { url_variable: 'URL variable', custom_header: 'Custom header' } as const

async function held(tx: Tx, owner: HookOwner, id: number): Promise<WebHookRow> {
  const row = await store.heldHook(tx, owner, id)
  if (!row) throw recordNotFound()
  return row
}

/** The address with the values that it would have has to be allowed. @throws ApiError 422 */
async function checkAddress(platform: Platform, tx: Tx, owner: HookOwner, hook: WebHookRow, pair: Pair) {
  const { variables } = await openSecrets(platform, await store.secretsOf(tx, [hook.id]))
  const next = new Map([...variables, [pair.key, pair.value]])
  checkUrl(hook.url, next, hookPolicy(await platform.settings.current(), owner))
}

async function checkCount(tx: Tx, hookId: number, { key }: Pair): Promise<void> {
  const rows = (await store.secretsOf(tx, [hookId])).filter(({ kind }) => kind === 'custom_header')
  const count = new Set([...rows.map((row) => row.key), key]).size
  const problems = headerCountProblems(count)
  if (problems.length > 0) throw failure(422, { custom_headers: problems })
}

/** Sets a value by its key (contract 21, x.project_hooks_var_set, x.project_hooks_header_set). @throws ApiError 404, 422 */
export async function setKeyed(
  platform: Platform,
  owner: HookOwner,
  id: number,
  { kind, ...pair }: Pair & { kind: KeyedKind },
  act: Act,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const hook = await held(tx, owner, id)
    if (!(kind === 'url_variable' ? isVariable(pair) : isHeader(pair))) throw illegalKeyOrValue()
    if (kind === 'url_variable') await checkAddress(platform, tx, owner, hook, pair)
    else await checkCount(tx, id, pair)
    await storeSecrets(platform, tx, id, kind, [pair])
    await store.updateHook(tx, id, { updated_at: now(platform.clock) })
    await act(tx, `${id} ${pair.key}`)
  })
}

/**
 * Deletes a value by its key (contract 21, x.project_hooks_var_delete, x.project_hooks_header_delete). A variable that the
 * URL needs stays.
 * @throws ApiError 404, 422
 */
export async function deleteKeyed(
  platform: Platform,
  owner: HookOwner,
  id: number,
  { kind, key }: { kind: KeyedKind; key: string },
  act: Act,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const hook = await held(tx, owner, id)
    if (!(await store.deleteSecret(tx, id, kind, key))) throw notFound(nouns[kind])
    if (kind === 'url_variable' && hook.url.includes(`{${key}}`)) throw illegalKeyOrValue()
    await store.updateHook(tx, id, { updated_at: now(platform.clock) })
    await act(tx, `${id} ${key}`)
  })
}
