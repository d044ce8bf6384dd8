import type { Tx } from '../../../infra/database/index.ts'

type RootToken = {
  digest: string
  /** A list as JSON text. */
  scopes: string
  /** `YYYY-MM-DD` */
  expiresAt: string
  now: string
}

/**
 * Stores a token of root (user 1), or extends its expiry unless it was revoked.
 * @throws UniqueViolation
 */
export async function putRootToken(tx: Tx, { digest, scopes, expiresAt, now }: RootToken): Promise<void> {
  await tx
    .insertInto('access_tokens')
    .values({
      kind: 'personal',
      user_id: 1,
      name: 'default',
      digest,
      scopes,
      expires_at: expiresAt,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet({ expires_at: expiresAt })
        .where('access_tokens.user_id', '=', 1)
        .where('access_tokens.revoked', '=', false),
    )
    .execute()
}
