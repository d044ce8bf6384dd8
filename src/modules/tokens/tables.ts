import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

/** The kinds of tokens that act as a user, with scopes. */
export type AccessTokenKind = 'personal' | 'impersonation' | 'project' | 'group' | 'service_account'

export type AccessTokensTable = {
  id: Generated<number>
  kind: AccessTokenKind
  user_id: number
  /** The project of a project access token. */
  project_id: number | null
  /** The group of a group access token. */
  namespace_id: number | null
  /** Id of the first token of a chain of rotations; null for that first one. */
  family_id: number | null
  /** Role given to the bot of a project or group token; shown after its membership has ended. */
  access_level: number | null
  name: string
  description: string | null
  /** SHA-256 of the token's text, in hex. The text is not stored. */
  digest: string
  scopes: Json<string[]>
  revoked: Generated<boolean>
  expires_at: string | null
  /** Whether the audit trail has that it expired. */
  expiry_recorded: Generated<boolean>
  last_used_at: string | null
  created_at: string
}

/** Tokens of machines, for the repositories and the registry of a project or group. They do not act as a user. */
export type DeployTokensTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  name: string
  username: string
  digest: string
  scopes: Json<string[]>
  expires_at: string | null
  revoked: Generated<boolean>
  created_by_id: number | null
  created_at: string
}

export type AccessTokenRow = Selectable<AccessTokensTable>
export type DeployTokenRow = Selectable<DeployTokensTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    access_tokens: AccessTokensTable
    deploy_tokens: DeployTokensTable
  }
}
