import type { Tx } from '../../../infra/database/index.ts'
import { SealError } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { SecretKind, SecretRow } from '../tables.ts'
import { deleteSecrets, putSecrets } from './store.ts'

/** A value opens only for the hook, kind and key for which it was sealed. */
const contextOf = (hookId: number, kind: SecretKind, key: string) => `web_hooks:${hookId}:${kind}:${key}`

export type Pair = { key: string; value: string }

/** Stores values of a hook, over those of the same keys. */
export async function storeSecrets(
  { secrets }: Platform,
  tx: Tx,
  hookId: number,
  kind: SecretKind,
  pairs: readonly Pair[],
): Promise<void> {
  const sealer = await secrets.sealer()
  const sealed = pairs.map(({ key, value }) => {
    return { web_hook_id: hookId, kind, key, sealed_value: sealer.seal(value, contextOf(hookId, kind, key)) }
  })
  await putSecrets(tx, sealed)
}

/** Stores values of a hook in place of all of this kind. */
export async function replaceSecrets(
  platform: Platform,
  tx: Tx,
  hookId: number,
  kind: SecretKind,
  pairs: readonly Pair[],
): Promise<void> {
  await deleteSecrets(tx, hookId, kind)
  // Of several pairs with one key the last counts.
  const values = new Map(pairs.map(({ key, value }) => [key, value]))
  await storeSecrets(
    platform,
    tx,
    hookId,
    kind,
    [...values].map(([key, value]) => ({ key, value })),
  )
}

/** The opened values of a hook. */
export type HookSecrets = { token: string | null; variables: ReadonlyMap<string, string>; headers: readonly Pair[] }

/** Opens values of a hook. One that was sealed with a lost key is left out, and its id is logged. */
export async function openSecrets({ secrets, log }: Platform, rows: readonly SecretRow[]): Promise<HookSecrets> {
  const sealer = rows.length > 0 ? await secrets.sealer() : null
  const opened = rows.flatMap(({ id, web_hook_id, kind, key, sealed_value }) => {
    try {
      return [{ kind, key, value: sealer?.open(sealed_value, contextOf(web_hook_id, kind, key)) ?? '' }]
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      log.error({ secret: id, hook: web_hook_id, err: error }, 'a secret of a webhook cannot be opened')
      return []
    }
  })
  const of = (kind: SecretKind) => opened.filter((one) => one.kind === kind)
  return {
    token: of('token')[0]?.value ?? null,
    variables: new Map(of('url_variable').map(({ key, value }) => [key, value])),
    headers: of('custom_header').map(({ key, value }) => ({ key, value })),
  }
}
