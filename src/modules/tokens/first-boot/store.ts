import type { Insertable } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'
import type { AccessTokensTable } from '../tables.ts'

type RootToken = Pick<Insertable<AccessTokensTable>, 'digest' | 'scopes' | 'expires_at' | 'created_at'>

/** Stores a token of root (user 1), or extends its expiry unless it was revoked. @throws UniqueViolation */
export async function putRootToken(tx: Tx, token: RootToken): Promise<void> {
  await tx
    .insertInto('access_tokens')
    .values({ ...token, kind: 'personal', user_id: 1, name: 'default' })
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet({ expires_at: token.expires_at })
        .where('access_tokens.user_id', '=', 1)
        .where('access_tokens.revoked', '=', false),
    )
    .execute()
}
