import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

export type OauthTokensTable = {
  id: Generated<number>
  user_id: number
  digest: string
  refresh_digest: string
  scopes: Json<string[]>
  expires_at: string
  revoked: Generated<boolean>
  created_at: string
}

export type OauthTokenRow = Selectable<OauthTokensTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    oauth_tokens: OauthTokensTable
  }
}
