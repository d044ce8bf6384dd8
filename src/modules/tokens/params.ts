import { allScopes, type Param, type ParamValues, t } from '../../api/index.ts'

/** A list of scopes: an array, or text separated by commas. Duplicates are removed. */
function scopeList(options: { description?: string } = {}): Param<string[], false> {
  const list = t.array(t.string(), { commaSeparated: true, ...options })
  return {
    ...list,
    read(value, name, problems) {
      const parts = list.read(value, name, problems)?.flatMap((part) => part.split(','))
      return parts && [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
    },
  }
}

/** A list of these scopes. An unknown one makes the whole list invalid. @param accepted more scopes, which the schema does not name */
function scopesOf(values: readonly string[], accepted = values): Param<string[], false> {
  const list = scopeList()
  return {
    ...list,
    schema: { type: 'array', items: { type: 'string', enum: values } },
    read(value, name, problems) {
      const scopes = list.read(value, name, problems)
      if (!scopes || scopes.every((scope) => accepted.includes(scope))) return scopes
      problems.push({ name, missing: false, text: 'does not have a valid value' })
      return undefined
    },
  }
}

/** The scopes that project and group access tokens may have (contract 20, x.project_tokens_create). */
const resourceScopes = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'create_runner',
  'manage_runner',
  'ai_features',
  'k8s_proxy',
  'self_rotate',
] as const

/** The scopes of deploy tokens (contract 20 R3). */
const deployScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const

/** The scopes that programs may give to new tokens of their users (contract 20, x.user_pat_create). */
export const programScopes: readonly string[] = ['k8s_proxy', 'self_rotate']

const tokenOrders = [
  'created_asc',
  'created_desc',
  'expires_asc',
  'expires_desc',
  'last_used_asc',
  'last_used_desc',
  'name_asc',
  'name_desc',
] as const
type TokenOrder = (typeof tokenOrders)[number]

/** An order, also with `_at` before the direction; another text means the default (contract 12, x.service_account.tokens). */
const lenientOrder: Param<TokenOrder, false> = {
  ...t.oneOf(tokenOrders, { description: 'Also with `_at` before the direction. Other texts mean `created_desc`.' }),
  read(value, name, problems) {
    const text = t
      .string()
      .read(value, name, problems)
      ?.replace(/_at(?=_(?:asc|desc)$)/, '')
    return tokenOrders.find((order) => order === text)
  },
}

/** Filters and order of a list of access tokens. */
export const tokenFilter = {
  state: t.oneOf(['active', 'inactive']),
  revoked: t.boolean(),
  search: t.string({ description: 'Part of the name.' }),
  created_after: t.datetime(),
  created_before: t.datetime(),
  expires_after: t.date(),
  expires_before: t.date(),
  last_used_after: t.datetime({ description: 'Leaves out tokens that were never used.' }),
  last_used_before: t.datetime({ description: 'Leaves out tokens that were never used.' }),
  sort: t.oneOf(tokenOrders),
}

/** As `tokenFilter`, for the tokens of an account that others manage. */
export const managedTokenFilter = { ...tokenFilter, sort: lenientOrder }
export type TokenFilter = ParamValues<typeof tokenFilter>

const named = { name: t.required(t.string()), description: t.string() }
const expiresAt = t.date({ description: 'The token is invalid from the first moment of this day.' })

/** As `expiresAt`; of a moment, its day in UTC, for there is a client that sends moments. */
function dayOrMoment(): typeof expiresAt {
  const moment = t.datetime()
  return { ...t.date(), read: (value, name, problems) => moment.read(value, name, problems)?.slice(0, 10) }
}

/** The new expiry day of a rotated token. */
export const rotation = { expires_at: expiresAt }

/** A token that an administrator creates for a user. */
export const newPersonalToken = { ...named, scopes: t.required(scopesOf(allScopes)), expires_at: expiresAt }

/** A token that users create for themselves. Which scopes are accepted depends on who asks. */
export const newOwnToken = {
  ...named,
  scopes: t.required(scopesOf(programScopes, allScopes)),
  expires_at: expiresAt,
}

export const newImpersonationToken = {
  ...named,
  scopes: scopeList({ description: 'Required, but a missing list is reported as an empty one.' }),
  expires_at: dayOrMoment(),
}
export type NewImpersonationToken = ParamValues<typeof newImpersonationToken>

export const newResourceToken = {
  ...named,
  scopes: t.required(scopesOf(resourceScopes)),
  access_level: t.integerOf([10, 15, 20, 30, 40, 50], {
    description: 'Role of the bot, at most that of the caller. Default 40.',
  }),
  expires_at: expiresAt,
}
export type NewResourceToken = ParamValues<typeof newResourceToken>

export const newDeployToken = {
  name: t.required(t.string()),
  scopes: t.required(scopesOf(deployScopes)),
  expires_at: t.datetime({ description: 'A date means its first moment, in UTC.' }),
  username: t.string({ description: 'Default `gitlab+deploy-token-{id}`.' }),
}
export type NewDeployToken = ParamValues<typeof newDeployToken>
