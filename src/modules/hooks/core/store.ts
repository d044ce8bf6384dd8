import type { ExpressionBuilder, Insertable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, locked, type Reader, rows, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { type SecretKind, type SecretRow, type WebHookChanges, type WebHookRow, webHooks } from '../tables.ts'
import type { HookOwner } from './owner.ts'

export const { byId: hookById, insert: insertHook, remove: deleteHookRow } = rows(webHooks)

const belongsTo =
  ({ kind, id }: HookOwner) =>
  (eb: ExpressionBuilder<Tables, 'web_hooks'>) => {
    if (kind === 'project') return eb('project_id', '=', id)
    if (kind === 'group') return eb('namespace_id', '=', id)
    return eb.and([eb('project_id', 'is', null), eb('namespace_id', 'is', null)])
  }

/** A page of the hooks of an owner, by id. */
export async function pageOfHooks(db: Reader, owner: HookOwner, page: PageRequest): Promise<Page<WebHookRow>> {
  return pageOfRows(db, db.selectFrom('web_hooks').selectAll().where(belongsTo(owner)).orderBy('id'), page)
}

export async function hookOf(db: Reader, owner: HookOwner, id: number): Promise<WebHookRow | null> {
  const query = db.selectFrom('web_hooks').selectAll().where('id', '=', id).where(belongsTo(owner))
  return (await query.executeTakeFirst()) ?? null
}

/** The hook, which no other transaction changes until this one ends. */
export async function heldHook(tx: Tx, owner: HookOwner, id: number): Promise<WebHookRow | null> {
  const query = tx.selectFrom('web_hooks').selectAll().where('id', '=', id).where(belongsTo(owner))
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

export async function countHooks(db: Reader, owner: HookOwner): Promise<number> {
  return countRows(db.selectFrom('web_hooks').where(belongsTo(owner)))
}

export async function updateHook(tx: Tx, id: number, changes: WebHookChanges): Promise<WebHookRow> {
  return tx.updateTable('web_hooks').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** The secrets of hooks, sealed, by id. */
export async function secretsOf(db: Reader, hookIds: readonly number[]): Promise<SecretRow[]> {
  if (hookIds.length === 0) return []
  const query = db.selectFrom('web_hook_secrets').selectAll()
  return query
    .where(within(db, 'web_hook_id', hookIds))
    .orderBy('id')
    .execute()
}

export async function putSecrets(tx: Tx, rows: readonly Insertable<Tables['web_hook_secrets']>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('web_hook_secrets')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['web_hook_id', 'kind', 'key'])
        .doUpdateSet((eb) => ({ sealed_value: eb.ref('excluded.sealed_value') })),
    )
    .execute()
}

/** Deletes the secrets of a kind. */
export async function deleteSecrets(tx: Tx, hookId: number, kind: SecretKind): Promise<void> {
  await tx.deleteFrom('web_hook_secrets').where('web_hook_id', '=', hookId).where('kind', '=', kind).execute()
}

/** @returns whether it was there */
export async function deleteSecret(tx: Tx, hookId: number, kind: SecretKind, key: string): Promise<boolean> {
  const query = tx.deleteFrom('web_hook_secrets').where('web_hook_id', '=', hookId)
  const { numDeletedRows } = await query.where('kind', '=', kind).where('key', '=', key).executeTakeFirst()
  return numDeletedRows > 0n
}
