import { unauthorized } from './errors.ts'

/** Scopes that a token may carry (contract 00, "Scopes"). */
export const allScopes = [
  'api',
  'read_api',
  'read_user',
  'create_runner',
  'manage_runner',
  'k8s_proxy',
  'self_rotate',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_observability',
  'write_observability',
  'ai_features',
  'ai_workflows',
  'sudo',
  'admin_mode',
  'read_service_ping',
] as const

export type Scope = (typeof allScopes)[number]

/**
 * The kinds of credentials (contract 00, "Token"); a password, an SSH key or certificate and the session of a browser are
 * those that are no token.
 */
export type CredentialKind =
  | 'personal'
  | 'project'
  | 'group'
  | 'impersonation'
  | 'service_account'
  | 'oauth'
  | 'job'
  | 'password'
  | 'session'
  | 'ssh_key'
  | 'ssh_certificate'

/** The credential that a caller signed in with. */
export type Credential = {
  kind: CredentialKind
  /** Row id of the token, key, session or job; null for a password. */
  id: number | null
  scopes: ReadonlySet<string>
  /** The only project in which the roles of the user count; set for the token of a job, whose id `id` is. */
  projectId?: number
  /** Of a password: changes with it. */
  mark?: string
}

/** An authenticated user: a person, or the bot of a project, group or service. */
export type UserActor = {
  kind: 'user'
  userId: number
  username: string
  /** Whether this request may do what administrators do (needs the scope `admin_mode` when that mode is on). */
  administrator: boolean
  /** External users see only what they are members of. */
  external: boolean
  /** A bot of a project or group, confined to it. */
  bot: boolean
  /** Whether the permissions of member roles count: the tier of the server has them (contract 25.10). */
  hasMemberRoles: boolean
  /** Whether an administrator acts in the name of the user (contract 00, "Sudo"). */
  bySudo?: true
  /** The address of the client, while an operation is performed. */
  ip?: string
  credential: Credential
}

/** A caller without credentials. */
export type Anonymous = { kind: 'anonymous' }

/** The caller of a request. Every way to sign in ends in one of these before any check. */
export type Actor = UserActor | Anonymous

export const anonymous: Anonymous = { kind: 'anonymous' }

/** Whether the actor is known and an administrator. */
export function isAdministrator(actor: Actor): boolean {
  return actor.kind === 'user' && actor.administrator
}

/** Whether the permissions of member roles count for the actor. */
export function hasMemberRoles(actor: Actor): boolean {
  return actor.kind === 'user' && actor.hasMemberRoles
}

/** Whether the request is one of an administrator, also in the name of another user. */
export function isSentByAdministrator(actor: Actor): boolean {
  return actor.kind === 'user' && (actor.administrator || actor.bySudo === true)
}

/** The caller of an operation that is closed to anonymous users. @throws ApiError 401 */
export function requireSignedIn(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw unauthorized()
  return actor
}
