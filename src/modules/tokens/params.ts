import { type Param, t } from '../../api/index.ts'

/** A list of scopes as it was given: an array, or text with commas, each scope once. */
export function scopeList(options: { description?: string } = {}): Param<string[], false> {
  const list = t.array(t.string(), { commaSeparated: true, ...options })
  return {
    ...list,
    read(value, name, problems) {
      const parts = list.read(value, name, problems)?.flatMap((part) => part.split(','))
      return parts && [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
    },
  }
}

/** A list of scopes out of these; any other is "does not have a valid value", said of the list as a whole. */
export function scopesOf(values: readonly string[]): Param<string[], false> {
  const list = scopeList()
  return {
    ...list,
    schema: { type: 'array', items: { type: 'string', enum: values } },
    read(value, name, problems) {
      const scopes = list.read(value, name, problems)
      if (!scopes || scopes.every((scope) => values.includes(scope))) return scopes
      problems.push({ name, missing: false, text: 'does not have a valid value' })
      return undefined
    },
  }
}

/** The scopes that project and group access tokens may have (contract 20, x.project_tokens_create). */
export const resourceScopes = [
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
export const deployScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const

/** The scopes of the tokens that people make for themselves through the API (contract 20, x.user_pat_create). */
export const ownScopes = ['k8s_proxy', 'self_rotate'] as const

/** The parameters by which lists of access tokens are narrowed and ordered. */
export const listParams = {
  state: t.oneOf(['active', 'inactive']),
  revoked: t.boolean(),
  search: t.string({ description: 'Part of the name.' }),
  created_after: t.datetime(),
  created_before: t.datetime(),
  expires_after: t.date(),
  expires_before: t.date(),
  last_used_after: t.datetime({ description: 'Tokens that were never used do not count.' }),
  last_used_before: t.datetime({ description: 'Tokens that were never used do not count.' }),
  sort: t.oneOf([
    'created_asc',
    'created_desc',
    'expires_asc',
    'expires_desc',
    'last_used_asc',
    'last_used_desc',
    'name_asc',
    'name_desc',
  ]),
}
