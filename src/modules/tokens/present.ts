import { computed, forms, object, of, type Static, Type } from '../../api/index.ts'
import { isPastExpiry } from './expiry.ts'
import type { AccessTokenRow, DeployTokenRow } from './tables.ts'

const text = Type.String()
const flag = Type.Boolean()

/** A token that was just made: the only object with its text. */
type New<Row> = Row & { token: string }
const token = Type.String({ description: 'The text of the token. Shown only in this response.' })

/** A personal access token (contract 20). The view is the time of the response, which decides whether it is active. */
export const PersonalAccessToken = object('PersonalAccessToken', of<AccessTokenRow, Date>(), {
  id: forms.id,
  name: text,
  revoked: flag,
  created_at: forms.timestamp,
  description: forms.nullableString,
  scopes: forms.strings,
  user_id: Type.Integer(),
  last_used_at: forms.nullableTimestamp,
  active: computed(flag, (row, moment) => !row.revoked && !isPastExpiry(row, moment)),
  expires_at: forms.nullableDay,
})
export const NewPersonalAccessToken = object('PersonalAccessTokenWithSecret', of<New<AccessTokenRow>, Date>(), {
  ...PersonalAccessToken.fields,
  token,
})

/** What a new token can be given. */
export const TokenChoices = Type.Object(
  {
    expires_at: forms.nullableDay,
    scopes: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  },
  { title: 'PersonalAccessTokenChoices' },
)

export const ImpersonationToken = object('ImpersonationToken', of<AccessTokenRow, Date>(), {
  ...PersonalAccessToken.fields,
  impersonation: computed(flag, () => true),
})
export const NewImpersonationToken = object('ImpersonationTokenWithSecret', of<New<AccessTokenRow>, Date>(), {
  ...ImpersonationToken.fields,
  token,
})

type ResourceTokenRow = AccessTokenRow & { access_level: number }

/** A project or group access token (contract 20, x.project_tokens_*, x.group_tokens_*). */
export const ResourceToken = object('ResourceAccessToken', of<ResourceTokenRow, Date>(), {
  ...PersonalAccessToken.fields,
  access_level: Type.Integer(),
})
export const NewResourceToken = object('ResourceAccessTokenWithSecret', of<New<ResourceTokenRow>, Date>(), {
  ...ResourceToken.fields,
  token,
})
export type PresentedResourceToken = Static<typeof ResourceToken>

/** A deploy token (contract 20). Unlike an access token, it expires at a moment. */
export const DeployToken = object('DeployToken', of<DeployTokenRow, Date>(), {
  id: forms.id,
  name: text,
  username: text,
  expires_at: forms.nullableTimestamp,
  scopes: forms.strings,
  revoked: flag,
  expired: computed(flag, ({ expires_at }, moment) => expires_at !== null && expires_at <= moment.toISOString()),
})
export const NewDeployToken = object('DeployTokenWithSecret', of<New<DeployTokenRow>, Date>(), {
  ...DeployToken.fields,
  token,
})
