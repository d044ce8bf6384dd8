/** Applications that are clients of OAuth, what users have granted them, and the tokens that they got (contract 20). */
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
    /** The authorisation that it came of; null for one that came of a password. */
    grant_id: t.refers('oauth_grants', 'cascade').nullable(),
    /** The same for all pairs that came of one code or password, one by refreshing the other. */
    family: t.text(),
  },
  {
    unique: { digest: ['digest'], refresh: ['refresh_digest'] },
    indexes: { user: ['user_id'], application: ['application_id'], grant: ['grant_id'], family: ['family'] },
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

/** What a user has authorised an application to do. Its codes and tokens end with it. */
export const oauthGrants = table(
  'oauth_grants',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    application_id: t.refers('oauth_applications', 'cascade'),
    /** All that the user has consented to. */
    scopes: t.json<string[]>(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { application: ['application_id', 'user_id'] },
    indexes: { user: ['user_id', 'id'] },
  },
)

/** Authorisation codes. */
export const oauthCodes = table(
  'oauth_codes',
  {
    id: t.id(),
    grant_id: t.refers('oauth_grants', 'cascade'),
    digest: t.text(),
    redirect_uri: t.text(),
    scopes: t.json<string[]>(),
    /** SHA-256 of the verifier (PKCE). */
    challenge: t.text().nullable(),
    nonce: t.text().nullable(),
    /** When the user signed in. */
    authenticated_at: t.time(),
    /** Of the tokens that come of it. */
    family: t.text(),
    is_used: t.boolean().default(false),
    expires_at: t.time(),
  },
  {
    unique: { digest: ['digest'] },
    indexes: { grant: ['grant_id'], expiry: ['expires_at'] },
  },
)

/** What applications on devices without a browser ask for, until they have got their tokens. */
export const oauthDeviceCodes = table(
  'oauth_device_codes',
  {
    id: t.id(),
    application_id: t.refers('oauth_applications', 'cascade'),
    digest: t.text(),
    /** Of the code that people copy, without its dash. */
    user_digest: t.text(),
    scopes: t.json<string[]>(),
    /** Of the tokens that come of it. */
    family: t.text(),
    /** Once a user has allowed it. */
    grant_id: t.refers('oauth_grants', 'cascade').nullable(),
    is_denied: t.boolean().default(false),
    /** When that user signed in. */
    authenticated_at: t.time().nullable(),
    interval_seconds: t.integer(),
    polled_at: t.time().nullable(),
    expires_at: t.time(),
  },
  {
    unique: { digest: ['digest'], user: ['user_digest'] },
    indexes: { application: ['application_id'], grant: ['grant_id'], expiry: ['expires_at'] },
  },
)

/** Keys that sign `id_token`s. The newest signs. */
export const oauthSigningKeys = table('oauth_signing_keys', {
  kid: t.text().primaryKey(),
  sealed_key: t.text(),
  created_at: t.time(),
})

export type OauthTokenRow = RowOf<typeof oauthTokens>
export type OauthApplicationRow = RowOf<typeof oauthApplications>
export type OauthGrantRow = RowOf<typeof oauthGrants>
export type OauthSigningKeyRow = RowOf<typeof oauthSigningKeys>
export type OauthDeviceCodeRow = RowOf<typeof oauthDeviceCodes>
export type OauthCodeRow = RowOf<typeof oauthCodes>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof oauthTokens
      | typeof oauthApplications
      | typeof oauthGrants
      | typeof oauthCodes
      | typeof oauthSigningKeys
      | typeof oauthDeviceCodes
    > {}
}
