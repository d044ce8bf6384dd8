/**
 * Access tokens, OAuth tokens and deploy tokens (contract 20), stored as SHA-256 digests. `family_id` is the id of the
 * first token in a chain of rotations: the use of a revoked token revokes the whole family.
 */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The kinds of tokens that act as a user, with scopes. */
const accessTokenKinds = ['personal', 'impersonation', 'project', 'group', 'service_account'] as const
export type AccessTokenKind = (typeof accessTokenKinds)[number]

/** Whether a credential of this kind is a row of `access_tokens`. */
export const isAccessToken = (kind: string): boolean => accessTokenKinds.some((one) => one === kind)

export const accessTokens = table(
  'access_tokens',
  {
    id: t.id(),
    kind: t.text<AccessTokenKind>(),
    user_id: t.refers('users', 'cascade'),
    /** The project of a project access token. */
    project_id: t.refers('projects', 'cascade').nullable(),
    /** The group of a group access token. */
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** Id of the first token of a chain of rotations; null for that first one. */
    family_id: t.bigint().nullable(),
    /** Role given to the bot of a project or group token; shown after its membership has ended. */
    access_level: t.integer().nullable(),
    name: t.name(),
    description: t.text().nullable(),
    /** SHA-256 of the token's text, in hex. The text is not stored. */
    digest: t.text(),
    scopes: t.json<string[]>(),
    revoked: t.boolean().default(false),
    expires_at: t.date().nullable(),
    last_used_at: t.time().nullable(),
    created_at: t.time(),
    /** Whether the audit trail has that it expired. */
    expiry_recorded: t.boolean().default(false),
  },
  {
    unique: { digest: ['digest'] },
    indexes: {
      user: ['user_id', 'id'],
      project: ['project_id'],
      namespace: ['namespace_id'],
      family: ['family_id'],
      expiry: { on: ['expires_at', 'id'], where: 'revoked = false and expiry_recorded = false' },
      created: ['created_at', 'id', 'kind'],
      name: ['name', 'id'],
      expires: { on: ['expires_at', 'id', 'kind', 'revoked'], nullsLast: 'expires_at' },
      used: { on: ['last_used_at', 'id', 'kind'], nullsLast: 'last_used_at' },
    },
    text: ['name'],
  },
)
export type AccessTokensTable = TableOf<typeof accessTokens>

/** Tokens of machines, for the repositories and the registry of a project or group. They do not act as a user. */
export const deployTokens = table(
  'deploy_tokens',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    name: t.name(),
    username: t.name(),
    digest: t.text(),
    scopes: t.json<string[]>(),
    expires_at: t.time().nullable(),
    revoked: t.boolean().default(false),
    created_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
  },
  {
    unique: { digest: ['digest'] },
    indexes: { project: ['project_id'], namespace: ['namespace_id'], created_by: ['created_by_id'] },
  },
)
export type DeployTokensTable = TableOf<typeof deployTokens>

export type AccessTokenRow = RowOf<typeof accessTokens>
export type DeployTokenRow = RowOf<typeof deployTokens>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof accessTokens | typeof deployTokens> {}
}
