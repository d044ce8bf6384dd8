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
  /** The application that got the pair; null for one without a client. */
  application_id: number | null
}

export type OauthApplicationsTable = {
  id: Generated<number>
  /** The public name of the client, `client_id`. */
  uid: string
  secret_digest: string
  name: string
  /** One address a line. */
  redirect_uri: string
  scopes: Json<string[]>
  /** Whether the client can keep its secret. */
  confidential: boolean
  created_at: string
}

export type OauthTokenRow = Selectable<OauthTokensTable>
export type OauthApplicationRow = Selectable<OauthApplicationsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    oauth_tokens: OauthTokensTable
    oauth_applications: OauthApplicationsTable
  }
}
