/** Applications that are clients of OAuth, and the tokens that they got (contract 20). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const oauthTokens = table(
  'oauth_tokens',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    digest: t.text(),
    refresh_digest: t.text(),
    scopes: t.json<string[]>(),
    expires_at: t.time(),
    revoked: t.boolean().default(false),
    created_at: t.time(),
    /** The application that got the pair; null for one without a client. */
    application_id: t.refers('oauth_applications', 'cascade').nullable(),
  },
  {
    unique: { digest: ['digest'], refresh: ['refresh_digest'] },
    indexes: { user: ['user_id'], application: ['application_id'] },
  },
)

export const oauthApplications = table(
  'oauth_applications',
  {
    id: t.id(),
    /** The public name of the client, `client_id`. */
    uid: t.text(),
    secret_digest: t.text(),
    name: t.name(),
    /** One address a line. */
    redirect_uri: t.text(),
    scopes: t.json<string[]>(),
    /** Whether the client can keep its secret. */
    confidential: t.boolean().default(true),
    created_at: t.time(),
  },
  {
    unique: { uid: ['uid'] },
  },
)

export type OauthTokenRow = RowOf<typeof oauthTokens>
export type OauthApplicationRow = RowOf<typeof oauthApplications>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof oauthTokens | typeof oauthApplications> {}
}
