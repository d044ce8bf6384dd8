import { forms, Type } from '../../api/index.ts'
import { isPastExpiry } from './expiry.ts'
import type { AccessTokenRow, DeployTokenRow } from './tables.ts'

const accessToken = {
  id: forms.id,
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: forms.timestamp,
  description: forms.nullableString,
  scopes: forms.strings,
  user_id: Type.Integer(),
  last_used_at: forms.nullableTimestamp,
  active: Type.Boolean(),
  expires_at: forms.nullableDay,
}
const impersonation = { ...accessToken, impersonation: Type.Boolean() }
const resource = { ...accessToken, access_level: Type.Integer() }
const token = Type.String({ description: 'The text of the token. Shown only in this response.' })

/** A personal access token (contract 20). */
export const PersonalAccessToken = Type.Object(accessToken, { title: 'PersonalAccessToken' })
/** The response to creating or rotating a token, the only one that contains its text. */
export const NewPersonalAccessToken = Type.Object({ ...accessToken, token }, { title: 'PersonalAccessTokenWithSecret' })
export const ImpersonationToken = Type.Object(impersonation, { title: 'ImpersonationToken' })
export const NewImpersonationToken = Type.Object({ ...impersonation, token }, { title: 'ImpersonationTokenWithSecret' })
/** A project or group access token. */
export const ResourceToken = Type.Object(resource, { title: 'ResourceAccessToken' })
export const NewResourceToken = Type.Object({ ...resource, token }, { title: 'ResourceAccessTokenWithSecret' })

const deployToken = {
  id: forms.id,
  name: Type.String(),
  username: Type.String(),
  expires_at: forms.nullableTimestamp,
  scopes: forms.strings,
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
}

/** A deploy token (contract 20). */
export const DeployToken = Type.Object(deployToken, { title: 'DeployToken' })
export const NewDeployToken = Type.Object({ ...deployToken, token }, { title: 'DeployTokenWithSecret' })

/** @param moment time of the response; decides whether the token is active */
export function presentAccessToken(row: AccessTokenRow, moment: Date) {
  return {
    id: row.id,
    name: row.name,
    revoked: row.revoked,
    created_at: row.created_at,
    description: row.description,
    scopes: row.scopes,
    user_id: row.user_id,
    last_used_at: row.last_used_at,
    active: !row.revoked && !isPastExpiry(row, moment),
    expires_at: row.expires_at,
  }
}

/** Unlike an access token, a deploy token expires at a moment. */
function isDeployTokenExpired(row: Pick<DeployTokenRow, 'expires_at'>, moment: Date): boolean {
  return row.expires_at !== null && row.expires_at <= moment.toISOString()
}

export function presentDeployToken(row: DeployTokenRow, moment: Date) {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: row.expires_at,
    scopes: row.scopes,
    revoked: row.revoked,
    expired: isDeployTokenExpired(row, moment),
  }
}
